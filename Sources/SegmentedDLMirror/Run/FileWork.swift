internal import SegmentedDL

/// A part of a mirror's work: one file, or copies that are found out about together.
enum FileWork: Sendable {
    /// Copies that will do if they are there.
    case keep([WaitingFile])
    /// Copies that their host is asked about.
    case ask([Question])
    /// A file that has a way of its own.
    ///
    /// - doneIf: What is to be found out for it to be done.
    case file(StoredItemDownload, doneIf: CopyDecision? = nil)

    /// A file, and how its server is asked about the copy.
    struct Question: Sendable {
        let file: WaitingFile
        let source: Source
        let request: ConditionalRequests.Request

        var host: Origin { source.origin }
    }

    /// - Returns: What is to be done now that this is known.
    func carryOut(_ work: StoredMirror.Work) async -> [FileWork] {
        switch self {
        case .keep(let files):
            return await Self.look(at: files.map { ($0, .keep) }, work)
        case .ask(let questions):
            return await Self.ask(questions, work)
        case .file(let file, let doneIf):
            await file.carryOut(doneIf: doneIf)
            return []
        }
    }

    private static func ask(_ questions: [Question], _ work: StoredMirror.Work) async -> [FileWork] {
        guard let first = questions.first, !work.isAskedSingly(first.host) else {
            return await look(at: questions.map { ($0.file, nil) }, work)
        }
        let said: ConditionalAnswers
        do {
            let one = ItemDownload(
                item: first.file.item, job: work.job, downloader: work.mirror.downloader
            ) { _ in }
            said = try await work.mirror.downloader.ask(
                about: questions.map(\.request), like: one.request(from: first.source))
        } catch {
            // They wait for the next run.
            work.mirror.tally.fileWasCancelled()
            return []
        }
        work.note(isInVain: said.isInVain, for: first.host)
        var (answered, rest): ([(WaitingFile, CopyDecision?)], [Question]) = ([], [])
        for (question, answer) in zip(questions, said.answers) {
            switch answer {
            case .unchanged: answered.append((question.file, .ask(question.request.condition)))
            case .other: answered.append((question.file, nil))
            case .none: rest.append(question)
            }
        }
        var next = await look(at: answered, work)
        if said.isCancelled {
            work.mirror.tally.fileWasCancelled()
        } else if !rest.isEmpty {
            next.append(.ask(rest))
        }
        return next
    }

    /// Looks at what is on the disk.
    ///
    /// - Parameter files: Each with what is to be found out for it to be done; `nil` if it has a way of its own.
    /// - Returns: What is to be done for the others.
    private static func look(
        at files: [(WaitingFile, doneIf: CopyDecision?)], _ work: StoredMirror.Work
    ) async -> [FileWork] {
        let looked = await DiskThread.run {
            files.map { file, doneIf in
                let download = StoredItemDownload(file, work)
                let isDone = Result {
                    guard download.decision == doneIf else { return false }
                    try download.clearAway()
                    return true
                }
                return (download, doneIf, isDone)
            }
        }
        var kept: [(StoredItemDownload, DownloadResult)] = []
        var others: [FileWork] = []
        for (file, doneIf, isDone) in looked {
            switch isDone {
            case .success(true): kept.append((file, file.kept))
            case .success(false): others.append(.file(file, doneIf: doneIf))
            case .failure(let error): await file.fail(error)
            }
        }
        if !kept.isEmpty { await StoredItemDownload.complete(kept, work) }
        return others
    }

    /// Puts those together that can be found out about together. What is presumed to be there is looked at later, and what
    /// is not at once. Blocks.
    ///
    /// - Parameter size: How many files a part has at most, after which others have their turn.
    static func parts(of files: [WaitingFile], _ work: StoredMirror.Work, atMost size: Int) -> [FileWork] {
        var kept: [WaitingFile] = []
        var hosts: [Origin] = []
        var asked: [Origin: [Question]] = [:]
        var others: [FileWork] = []
        for file in files {
            let presumed = CopyDecision(
                presumedFor: file.item, file.record, run: work.run.id, boot: BootIdentity.current)
            if presumed == .keep, !work.job.isDryRun {
                kept.append(file)
            } else if case .ask(let condition) = presumed, let question = Question(file, condition, work) {
                if asked[question.host] == nil { hosts.append(question.host) }
                asked[question.host, default: []].append(question)
            } else {
                others.append(.file(StoredItemDownload(file, work)))
            }
        }
        return kept.chunks(of: size).map { .keep($0) }
            + hosts.flatMap { (asked[$0] ?? []).chunks(of: size) }.map { .ask($0) } + others
    }
}

extension FileWork.Question {
    /// - Returns: `nil` if there is more to do than to ask the only source whether the copy has changed, with nothing that is
    ///   this file's alone.
    fileprivate init?(_ file: WaitingFile, _ condition: Condition, _ work: StoredMirror.Work) {
        let item = file.item
        guard !work.job.isDryRun, work.job.ifExists == .replace, item.sources.count == 1,
            let source = item.sources.first, source.hasNoCredentials, item.headers.isEmpty,
            item.pieces == nil,
            // A tag that the listing has is another one: the copy has changed.
            item.etag == nil, let record = file.record, ItemDownload.isSame(record.url, source.url),
            let request = ConditionalRequests.Request(source, if: condition)
        else { return nil }
        self.init(file: file, source: source, request: request)
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}
