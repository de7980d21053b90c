internal import SegmentedDL

extension MirrorStep {
    /// Creates steps for waiting files. Copies that can be inspected or asked about together are grouped.
    /// Copies that are presumed to exist are inspected when their step runs, all other files immediately.
    /// Blocks.
    static func steps(for files: [WaitingFile], _ session: MirrorSession) -> [MirrorStep] {
        // A step that has begun continues after the run has stopped, so a run that may stop at a failure uses
        // small steps.
        let size = session.job.failurePolicy == .keepGoing ? 128 : 8
        var kept: [WaitingFile] = []
        var hosts: [Origin] = []
        var asked: [Origin: [Question]] = [:]
        var others: [MirrorStep] = []
        for file in files {
            let presumed = CopyCheck(
                presuming: file.record, of: file.item, run: session.run.id, boot: BootIdentity.current)
            if presumed == .keep, !session.job.isDryRun, !session.job.verifiesCopies {
                kept.append(file)
            } else if case .ask(let condition) = presumed,
                let question = Question(file, condition, session.job)
            {
                if asked[question.host] == nil { hosts.append(question.host) }
                asked[question.host, default: []].append(question)
            } else {
                let file = MirrorFile(file, in: session)
                others.append(file.isMissing ? .missing(file) : .file(file))
            }
        }
        return kept.chunks(of: size).map { .inspect($0) }
            + hosts.flatMap { (asked[$0] ?? []).chunks(of: size) }.map { .ask($0) } + others
    }
}

extension MirrorStep.Question {
    /// Creates a question that can be asked together with others for the host.
    ///
    /// - Returns: `nil` if more is needed than asking the only source whether the copy has changed, or if the
    ///   request has its own settings.
    fileprivate init?(_ file: WaitingFile, _ condition: Condition, _ job: MirrorJob) {
        let item = file.item
        guard !job.isDryRun, !job.verifiesCopies, job.ifExists == .replace, item.sources.count == 1,
            let source = item.sources.first, !source.hasCredentials, item.headers.isEmpty,
            item.pieces == nil, item.options.isEmpty,
            // An ETag in the listing differs from the recorded one, so the copy is outdated.
            item.etag == nil, let record = file.record, item.source(of: record.url) != nil,
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
