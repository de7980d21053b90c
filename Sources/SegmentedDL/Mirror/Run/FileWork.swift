/// A part of a mirror's work: one file, or copies that are found out about together.
enum FileWork: Sendable {
    /// Copies that will do if they are still there.
    case keep([StoredItemDownload])
    /// Copies that their host is asked about.
    case ask([Question])
    /// A file that has a way of its own.
    ///
    /// - asks: Whether the server is asked about a copy that is there, and not for the file in any case.
    case file(StoredItemDownload, asks: Bool = true)

    /// A file, and how its server is asked about the copy.
    struct Question: Sendable {
        let file: StoredItemDownload
        let host: Origin
        let request: ConditionalRequests.Request
    }

    /// - Returns: What is to be done now that this is known.
    func carryOut(_ work: StoredMirror.Work) async -> [FileWork] {
        switch self {
        case .keep(let files):
            return await Self.keep(files, work)
        case .ask(let questions):
            return await Self.ask(questions, work)
        case .file(let file, let asks):
            await file.carryOut(asks: asks)
        }
        return []
    }

    private static func ask(_ questions: [Question], _ work: StoredMirror.Work) async -> [FileWork] {
        guard let first = questions.first, let request = first.file.request, !work.isAskedSingly(first.host)
        else {
            return questions.map { .file($0.file) }
        }
        let said: ConditionalAnswers
        do {
            said = try await work.mirror.downloader.ask(about: questions.map(\.request), like: request)
        } catch {
            // They wait for the next run.
            work.mirror.tally.fileWasCancelled()
            return []
        }
        if said.isInVain { work.asksSingly(first.host) }
        var unchanged: [StoredItemDownload] = []
        var (next, rest): ([FileWork], [Question]) = ([], [])
        for (question, answer) in zip(questions, said.answers) {
            switch answer {
            case .unchanged: unchanged.append(question.file)
            case .other: next.append(.file(question.file))
            case .none: rest.append(question)
            }
        }
        next += await keep(unchanged, work)
        if said.isCancelled {
            work.mirror.tally.fileWasCancelled()
        } else if !rest.isEmpty {
            next.append(.ask(rest))
        }
        return next
    }

    /// Those that are still there are done.
    private static func keep(_ files: [StoredItemDownload], _ work: StoredMirror.Work) async -> [FileWork] {
        guard !files.isEmpty else { return [] }
        let areThere = await DiskThread.run { files.map { file in Result { try file.isStillThere() } } }
        var kept: [(StoredItemDownload, DownloadResult)] = []
        var gone: [FileWork] = []
        for (file, isThere) in zip(files, areThere) {
            switch isThere {
            case .success(true): kept.append((file, file.kept))
            case .success(false): gone.append(.file(file, asks: false))
            case .failure(let error): await file.fail(error)
            }
        }
        if !kept.isEmpty { await StoredItemDownload.complete(kept, work) }
        return gone
    }

    /// Puts those together that can be found out about together.
    ///
    /// - Parameters:
    ///   - ways: How many parts can be at work at the same time.
    ///   - size: How many files a part has at most, after which others have their turn.
    static func parts(of files: [StoredItemDownload], ways: Int, atMost size: Int) -> [FileWork] {
        var kept: [StoredItemDownload] = []
        var hosts: [Origin] = []
        var asked: [Origin: [Question]] = [:]
        var others: [FileWork] = []
        for file in files {
            if file.canBeKept {
                kept.append(file)
            } else if let question = file.question {
                if asked[question.host] == nil { hosts.append(question.host) }
                asked[question.host, default: []].append(question)
            } else {
                others.append(.file(file))
            }
        }
        return kept.chunks(for: ways, atMost: size).map { .keep($0) }
            + hosts.flatMap { (asked[$0] ?? []).chunks(for: 1, atMost: size) }.map { .ask($0) } + others
    }
}

extension Array {
    /// Fewer where not all ways would have something to do.
    fileprivate func chunks(for ways: Int, atMost most: Int) -> [[Element]] {
        let size = Swift.max(1, Swift.min((count - 1) / ways + 1, most))
        return stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
