import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// Carries out the mirror of one command, and shows how it goes.
struct MirrorCommandRun: Sendable {
    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)

    let messages: MessageLog
    let display: MirrorDisplay
    /// Whether standard output is for programs.
    let isJSON: Bool

    /// - Returns: The exit status.
    func carryOut(_ run: MirrorRun) async -> Int32 {
        let work = Task { await follow(run) }
        let signals = Signals { work.cancel() }
        let report = await work.value
        await show(messages)
        await display.end(report)
        return signals.exitStatus ?? Self.exitStatus(report)
    }

    private func follow(_ run: MirrorRun) async -> MirrorReport {
        let (lines, continuation) = AsyncStream.makeStream(of: (FileSnapshot, FileOutcome).self)
        // Not a child: a stopped terminal must not stop downloads.
        let shown = Task {
            for await (file, outcome) in lines { await display.show(file, outcome) }
        }
        let updates = Task {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                await show(messages)
                await display.update()
            }
        }
        var last = MirrorReport()
        var plan = MirrorPlanOutput(isJSON: isJSON)
        for await event in run {
            switch event {
            case .started(let item, let handle):
                display.started(item, handle)
            case .completed(let item, let result):
                let outcome = FileOutcome.done(result)
                let file = display.ended(item.path, outcome, url: item.sources.first?.description ?? "")
                if let file { continuation.yield((file, outcome)) }
            case .failed(let failure):
                let outcome = FileOutcome(failure)
                if let file = display.ended(failure.path, outcome, url: failure.place) {
                    continuation.yield((file, outcome))
                }
            case .listed(let listing):
                display.listed(listing)
            case .planned(let path, let action):
                display.planned(action)
                plan.add(action, path)
            case .deleted(let path):
                await display.deleted(path)
            case .left(_, let why):
                await display.message(why)
            case .ended(let report):
                last = report
            }
        }
        plan.flush()
        continuation.finish()
        await shown.value
        updates.cancel()
        await updates.value
        return last
    }

    private func show(_ messages: MessageLog) async {
        for message in messages.take() { await display.message(message) }
    }

    private static func exitStatus(_ report: MirrorReport) -> Int32 {
        if report.isComplete { return 0 }
        // Where nothing could be listed there is one failure, and that is the command's.
        let isOnlyFailure =
            report.ending == .sourceFailed && report.completed + report.skipped == 0 && report.failed == 1
        guard isOnlyFailure, let code = report.failures.first?.code else { return 1 }
        return Int32(code.rawValue / 100)
    }
}

extension FileOutcome {
    /// Why something of a mirror is missing.
    init(_ failure: MirrorReport.Failure) {
        let code = failure.code?.rawValue ?? 0
        let place =
            failure.path == nil && !failure.message.contains(failure.place) ? "\(failure.place): " : ""
        self = .failed(
            message: place + failure.message, code: code, exitStatus: code == 0 ? 1 : Int32(code / 100))
    }
}
