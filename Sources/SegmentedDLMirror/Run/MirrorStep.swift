internal import SegmentedDL

/// A step of a mirror's run: one file, or several known copies that are inspected or asked about together.
enum MirrorStep: Sendable {
    /// Inspect copies that are kept if they exist.
    case inspect([WaitingFile])
    /// Ask a host about its copies.
    case ask([Question])
    /// Process a file of which no part exists locally, individually or together with others.
    case missing(MirrorFile)
    /// Process one file individually.
    case file(MirrorFile)

    /// A copy, and the condition for the server to confirm.
    struct Question: Sendable {
        let file: WaitingFile
        let source: Source
        let request: ConditionalRequests.Request

        var host: Origin { source.origin }
    }

    /// True if the step waits for a host's responses about copies.
    var isQuestion: Bool { if case .ask = self { true } else { false } }

    /// Runs the step.
    ///
    /// - Returns: The steps that follow from it.
    func run(_ session: MirrorSession) async -> [MirrorStep] {
        switch self {
        case .inspect(let files):
            return await Self.keep(files.map { ($0, nil) }, session)
        case .ask(let questions):
            return await Self.ask(questions, session)
        case .missing(let file), .file(let file):
            await file.run()
            return []
        }
    }

    private static func ask(_ questions: [Question], _ session: MirrorSession) async -> [MirrorStep] {
        guard let first = questions.first, !session.hosts.isAskedSingly(first.host) else {
            return await keep(questions.map { ($0.file, nil) }, session)
        }
        let said: ConditionalAnswers
        do {
            said = try await session.downloader.ask(
                about: questions.map(\.request),
                like: session.job.request(for: first.file.item, from: first.source),
                isProven: session.hosts.isProven(first.host))
        } catch {
            // The copies are left for the next run.
            session.reporter.fileWasCancelled()
            return []
        }
        session.hosts.record(wasUseless: said.wasUseless, for: first.host)
        var (answered, rest): ([(WaitingFile, confirmed: Condition?)], [Question]) = ([], [])
        for (question, answer) in zip(questions, said.answers) {
            switch answer {
            case .unchanged: answered.append((question.file, question.request.condition))
            case .other: answered.append((question.file, nil))
            case .none: rest.append(question)
            }
        }
        var next = await keep(answered, session)
        if said.isCancelled {
            session.reporter.fileWasCancelled()
        } else if !rest.isEmpty {
            next.append(.ask(rest))
        }
        return next
    }

    /// Inspects the disk, and keeps the copies that are current.
    ///
    /// - Parameter files: The files, each with the condition confirmed by its server.
    /// - Returns: Steps for the others.
    private static func keep(
        _ files: [(WaitingFile, confirmed: Condition?)], _ session: MirrorSession
    ) async -> [MirrorStep] {
        let inspected = await DiskThread.run {
            files.map { file, confirmed in
                let file = MirrorFile(file, confirmed: confirmed, in: session)
                return (
                    file,
                    Result {
                        if file.isCurrent { try file.clearAway() }
                    }
                )
            }
        }
        var (kept, others): ([MirrorFile], [MirrorStep]) = ([], [])
        for (file, result) in inspected {
            switch result {
            case .success where file.isCurrent: kept.append(file)
            case .success: others.append(.file(file))
            case .failure(let error): await file.fail(error)
            }
        }
        await MirrorFile.complete(kept: kept, in: session)
        return others
    }
}
