internal import SegmentedDL

/// Reads the listings of a mirror's source into the database, while the run reads files from it.
struct ListingReader: Sendable {
    /// The number of entries to store in one transaction if they are available. A transaction costs as much
    /// as thirty entries.
    private static let batchSize = 1024

    let session: MirrorSession

    /// Reads the source to its end.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func run<Entries: AsyncSequence & Sendable>(_ entries: Entries) async throws
    where Entries.Element == MirrorEntry {
        let (store, run, progress) = (session.store, session.run, session.listing)
        let listed = entries as? MirrorEntries
        let filter = listed?.filter ?? PathFilter()
        // Indexes stored by the pager would bypass the check of each file's path.
        let mayKeep = !session.job.isDryRun && session.job.pathCheck == nil
        let root = mayKeep ? session.job.root : nil
        let pager: any EntryPager = try listed?.makePager(in: root) ?? SequencePager(entries)
        if run.isResumed {
            try pager.resume(from: try await DiskThread.run { try store.listingState() })
        }
        if session.job.deletion != .nothing {
            pager.checkPages { [session] in
                try await ReplacedListing(session: session, filter: filter).isReplaced($0, by: $1)
            }
        }
        var (reading, turn) = (await read(pager, filter), session.lastTurn + 1)
        while true {
            let (batches, first, end) = (reading.batches, turn, reading.end)
            turn += batches.reduce(0) { $0 + Int64($1.items.count) }
            // Fetch the next pages while these are stored. They are stored even if the fetch fails.
            async let stored: Void = save(batches, from: first)
            // Entries of other kinds of sources may take long to arrive, so do not delay storing the previous
            // ones.
            if !pager.fetches { try await stored }
            if end == nil { reading = await read(pager, filter) }
            try await stored
            if let end {
                try end.get()
                guard pager.mayHideDirectories else { break }
                // Usually no file is a directory, so readers may treat this as the end of the listing.
                await session.reporter.send(.listed(progress.state(isComplete: true)))
                let found = try await progress.directories()
                guard !found.isEmpty else { break }
                try pager.add(found)
                reading = await read(pager, filter)
            }
        }
        // A page often links to a file twice; in a list this is probably a mistake.
        if progress.repeated > 0, !pager.fetches, session.earlierStart == nil {
            session.downloader.note("a file is listed more than once; it is fetched once")
        }
        if let example = session.names.example {
            session.downloader.note(
                "The file system refuses some names; their characters are escaped, as in '\(example)'")
        }
        if pager.mayMissDirectories { progress.missDirectories() }
        session.listing.publish(pager.publication)
        try await DiskThread.run { try store.finishListing(of: run) }
        if !pager.mayHideDirectories {
            await session.reporter.send(.listed(progress.state(isComplete: true)))
        }
    }

    /// Pages that were read together.
    private struct Reading {
        var batches: [ListingBatch] = []
        /// The end of the source, if it was reached.
        var end: Result<Void, any Error>?
    }

    private func read(_ pager: any EntryPager, _ filter: PathFilter) async -> Reading {
        // Without a state on disk, entries are requested only when the run has room for them.
        if !session.isRemembered { await session.listing.waitForRoom(ahead: MirrorSession.ahead) }
        var (reading, count) = (Reading(), 0)
        do {
            repeat {
                try Task.checkCancellation()
                guard let page = try await pager.next() else {
                    reading.end = .success(())
                    break
                }
                var batch = await DiskThread.run { self.batch(page, filter) }
                batch.directory = pager.directory
                batch.notes = pager.takeNotes()
                count += batch.items.count
                reading.batches.append(batch)
            } while pager.isAtHand && count < Self.batchSize
        } catch {
            reading.end = .failure(error)
        }
        return reading
    }

    private func batch(_ entries: [MirrorEntry], _ filter: PathFilter) -> ListingBatch {
        let job = session.job
        var batch = ListingBatch()
        for entry in entries where filter.accepts(entry) {
            switch entry {
            case .unusable(let entry):
                session.listing.miss(entry)
                batch.problems.append(MirrorReport.Failure(place: entry.place, message: entry.reason))
            case .item(let item) where !job.isOwn(item.path.text):
                session.listing.addOther()
            case .item(let item) where job.isReserved(item.path):
                batch.problems.append(MirrorReport.Failure(reserved: item))
            case .item(let item):
                batch.items.append(session.names.accepted(item))
            }
        }
        return batch
    }

    private func save(_ batches: [ListingBatch], from turn: Int64) async throws {
        let repeated = try await DiskThread.run { [store = session.store, run = session.run] in
            try store.add(batches, of: run, turn: turn)
        }
        let failures =
            batches.flatMap(\.problems) + repeated.conflicts.map { MirrorReport.Failure(duplicate: $0) }
        for failure in failures {
            session.listing.addFailure()
            await session.reporter.fail(failure)
        }
        let count = batches.reduce(0) { $0 + $1.items.count }
        guard count > 0 else { return }
        session.listing.add(count - repeated.conflicts.count - repeated.same, repeated: repeated.same)
        await session.reporter.send(.listed(session.listing.state(isComplete: false)))
    }
}
