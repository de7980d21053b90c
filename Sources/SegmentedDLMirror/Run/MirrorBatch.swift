internal import SegmentedDL

/// Missing files that are fetched together, without a download for each.
struct MirrorBatch: Sendable {
    private let batch: FastPathBatch
    private let files: [Int: MirrorFile]
    /// The files that must be fetched individually.
    private let others: [MirrorFile]

    /// Adds files to the fast path.
    init(_ files: [MirrorFile], on fastPath: FastPath) async {
        let (entries, others) = await DiskThread.run {
            var (entries, others) = ([FastPath.Entry](), [MirrorFile]())
            for file in files {
                if let task = file.plainTask(), fastPath.mayEnter(task) {
                    entries.append(FastPath.Entry(id: Int(file.file.id), task: task))
                } else {
                    others.append(file)
                }
            }
            return (entries, others)
        }
        self.files = Dictionary(
            files.map { (Int($0.file.id), $0) }, uniquingKeysWith: { first, _ in first })
        self.others = others
        batch = await fastPath.add(entries)
    }

    /// Returns when all files of the batch have ended or left the fast path.
    ///
    /// - Returns: Steps for the files that must be fetched individually.
    func run(in session: MirrorSession) async -> [MirrorStep] {
        var steps = others.map { MirrorStep.file($0) }
        while let event = await batch.next() {
            switch event {
            case .ended(let ends): await end(ends, session)
            case .left(let entries): steps += entries.compactMap { files[$0.id] }.map { .file($0) }
            }
        }
        return steps
    }

    private func end(_ ends: [FastPath.End], _ session: MirrorSession) async {
        var complete: [(file: MirrorFile, result: DownloadResult)] = []
        for end in ends {
            guard let file = files[end.id] else { continue }
            switch end.result {
            case .success(let result): complete.append((file, result))
            case .failure(let error): await file.end(after: error)
            }
        }
        if !complete.isEmpty { await MirrorFile.complete(complete, in: session) }
    }
}

extension MirrorFile {
    /// True if no part of the file exists locally, so that it may be fetched together with others.
    var isMissing: Bool { check == .fetch && found == nil && !isUnfinished && !isDamaged && !job.isDryRun }

    /// Returns the download of the file; `nil` if an error must be reported for it. Blocks.
    fileprivate func plainTask() -> DownloadTask? {
        guard let source = item.sources.first else { return nil }
        do {
            try job.pathCheck?.run(path)
        } catch {
            return nil
        }
        return task(.fetch, from: source)
    }
}
