internal import SegmentedDL

// Lists the source, and runs the steps of its files while it is being listed.
extension MirrorSession {
    /// The end of one of the run's tasks.
    private enum Ended: Sendable {
        /// The source has been listed.
        case listing
        /// The listing has added files to the database, or has ended.
        case signal
        /// A step has ended, with the steps that follow from it.
        case step([MirrorStep])
        /// A batch of small files has ended, with the steps that follow from it.
        case batch([MirrorStep])
        /// The fast path accepts no more files.
        case fastPath
    }

    /// Lists the source into the database, and runs the steps of its files. Returns when all of them have
    /// ended.
    func download<Entries: AsyncSequence & Sendable>(_ entries: Entries) async
    where Entries.Element == MirrorEntry {
        await withTaskGroup(of: Ended.self) { group in
            group.addTask { [self] in
                await list(entries)
                return .listing
            }
            if let fastPath {
                // One connection is reserved for the listing, which determines the files to fetch.
                fastPath.spare(1)
                group.addTask {
                    await fastPath.run()
                    return .fastPath
                }
            }
            var agenda = MirrorAgenda<MirrorStep>()
            var (additions, batches) = (0, 0)
            loop: while !isOver {
                if Task.isCancelled { agenda.stop() }
                // Twice the number of files that may be active. The scheduler decides which of them run, and
                // never has to wait for one.
                let most = batches < Self.mostBatches ? downloader.limits.begunFiles : 0
                switch agenda.next(atMost: most) {
                case .begin(let step):
                    if let fastPath, case let files = smallFiles(step, &agenda, fastPath), !files.isEmpty {
                        batches += 1
                        // Done here, so that files are requested in order.
                        let batch = await MirrorBatch(files, on: fastPath)
                        group.addTask { [self] in .batch(await batch.run(in: self)) }
                    } else {
                        group.addTask { [self] in .step(await step.run(self)) }
                    }
                case .read(let turn):
                    additions = listing.additions
                    await read(after: turn, into: &agenda)
                case .awaitListing:
                    group.addTask { [listing] in
                        await listing.waitForChange()
                        return .signal
                    }
                case .wait:
                    if agenda.isAtRest { listing.rest(after: additions) }
                    guard let ended = await group.next() else { break loop }
                    if case .batch = ended { batches -= 1 }
                    take(ended, &agenda)
                case .end:
                    break loop
                }
            }
            group.cancelAll()
            // Downloads that have begun end with a checkpoint.
            await group.waitForAll()
        }
    }

    private func take(_ ended: Ended, _ agenda: inout MirrorAgenda<MirrorStep>) {
        switch ended {
        case .listing: fastPath?.spare(0)
        case .fastPath: break
        case .signal: agenda.listingHasChanged()
        case .step(let next), .batch(let next):
            agenda.end(
                followedBy: next.filter { !$0.isQuestion }, later: next.filter(\.isQuestion))
        }
    }

    /// The maximum number of small files in a batch, which may all be lost in a kill, and of batches.
    static let filesAtOnce = 32
    private static let mostBatches = 16

    /// Returns a missing file and those after it, if their hosts send small files.
    private func smallFiles(
        _ first: MirrorStep, _ agenda: inout MirrorAgenda<MirrorStep>, _ fastPath: FastPath
    ) -> [MirrorFile] {
        guard let file = first.smallFile(for: fastPath) else { return [] }
        var files = [file]
        while files.count < Self.filesAtOnce, let next = agenda.take({ $0.smallFile(for: fastPath) }) {
            files.append(next)
        }
        return files
    }

    private func list<Entries: AsyncSequence & Sendable>(_ entries: Entries) async
    where Entries.Element == MirrorEntry {
        do {
            if run.isListed {
                await reporter.send(.listed(listing.state(isComplete: true)))
            } else {
                try await ListingReader(session: self).run(entries)
            }
            listing.end(nil)
        } catch {
            listing.end(error)
        }
    }

    /// Reads the files after a given turn from the database, and creates steps for them.
    private func read(after turn: Int64, into agenda: inout MirrorAgenda<MirrorStep>) async {
        let isAll = listing.isOver
        do {
            let (steps, count, last) = try await DiskThread.run { [self] in
                let files = try store.waiting(after: turn, atMost: isRemembered ? 1024 : Self.ahead)
                return (MirrorStep.steps(for: files, self), files.count, files.last?.turn)
            }
            listing.take(count)
            agenda.add(steps, last: last, isAll: isAll)
        } catch {
            fail(error)
        }
    }
}

extension MirrorStep {
    /// The missing file, if it may use the fast path.
    fileprivate func smallFile(for fastPath: FastPath) -> MirrorFile? {
        guard case .missing(let file) = self, let origin = file.item.sources.first?.origin,
            fastPath.serves(origin)
        else { return nil }
        return file
    }
}
