/// Files of a mirror that one task looks after.
///
/// Of a copy that may still be good everything is found out together with others', and only what has changed becomes a
/// download.
struct FileGroup: Sendable {
    /// So many copies are looked at before others have their turn.
    private static let most = 32

    private enum Way: Sendable {
        /// The copies that are there will do.
        case keep
        /// A host is asked about each copy.
        case ask([DownloadRequest])
        /// Each file has a way of its own.
        case alone
    }

    private let files: [StoredItemDownload]
    private let way: Way

    func carryOut(_ downloader: Downloader) async {
        await withTaskGroup { group in
            switch way {
            case .keep: await keep(files[...], &group)
            case .ask(let questions): await ask(questions, &group, downloader)
            case .alone: for file in files { await file.carryOut() }
            }
        }
    }

    private func ask(
        _ questions: [DownloadRequest], _ group: inout TaskGroup<Void>, _ downloader: Downloader
    ) async {
        var done = 0
        while done < files.count {
            // Cancelled ones wait for the next run.
            guard let answer = try? await downloader.inquire(Array(questions[done...])) else { return }
            await keep(files[done...].prefix(answer.unchanged), &group)
            done += answer.unchanged
            guard let download = answer.changed else { return }
            let changed = files[done]
            group.addTask { await changed.carryOut(download) }
            done += 1
        }
    }

    /// Those that are still there are done.
    private func keep(_ copies: ArraySlice<StoredItemDownload>, _ group: inout TaskGroup<Void>) async {
        guard !copies.isEmpty else { return }
        let areThere = await DiskThread.run {
            copies.map { copy in Result { try copy.isStillThere() } }
        }
        for (copy, isThere) in zip(copies, areThere) {
            switch isThere {
            case .success(true): await copy.keep()
            case .success(false): group.addTask { await copy.carryOut(asks: false) }
            case .failure(let error): await copy.fail(error)
            }
        }
    }

    /// - Parameter ways: How many groups can be at work at the same time.
    static func groups(of files: [StoredItemDownload], ways: Int) -> [FileGroup] {
        var kept: [StoredItemDownload] = []
        var asked: [Origin: [(file: StoredItemDownload, question: DownloadRequest)]] = [:]
        var alone: [StoredItemDownload] = []
        for file in files {
            if file.canBeKept {
                kept.append(file)
            } else if let question = file.question {
                asked[question.source.origin, default: []].append((file, question))
            } else {
                alone.append(file)
            }
        }
        // A few are not to wait for each other.
        let most = min(max(1, (files.count + ways - 1) / ways), most)
        return kept.chunks(of: most).map { FileGroup(files: $0, way: .keep) }
            + asked.values.flatMap { $0.chunks(of: most) }.map {
                FileGroup(files: $0.map(\.file), way: .ask($0.map(\.question)))
            } + alone.map { FileGroup(files: [$0], way: .alone) }
    }
}

extension Array {
    fileprivate func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
