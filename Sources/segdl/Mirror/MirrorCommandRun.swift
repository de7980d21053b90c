import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// The run of a mirror, with its progress on the terminal.
struct MirrorCommandRun: Sendable {
    let messages: MessageLog
    let output: MirrorOutput
    /// True if standard output is for programs.
    let isJSON: Bool

    /// - Returns: The exit status.
    func run(_ mirror: MirrorRun) async -> Int32 {
        let display = Display(output, messages: messages)
        let progress = MirrorProgress(showsEach: output.showsEach)
        let loop = RunLoop(display: display) { progress.snapshot }
        let (report, signal) = await loop.run {
            await follow(mirror, progress, display)
        } end: { output, report in
            output.end(report, planned: progress.planned, listed: progress.snapshot.overall.files)
        }
        return signal ?? Self.exitStatus(report)
    }

    private func follow(
        _ mirror: MirrorRun, _ progress: MirrorProgress, _ display: Display<MirrorOutput>
    ) async -> MirrorReport {
        var last = MirrorReport()
        var plan = MirrorPlanOutput(isJSON: isJSON, showsKept: output.showsEach)
        func ended(
            _ path: RelativePath?, _ outcome: FileOutcome, url: @autoclosure () -> String,
            isShownByName: Bool = false
        ) {
            guard var file = progress.end(path, outcome, url: url()) else { return }
            file.isShownByName = isShownByName
            display.show { [file] in $0.finished(file, outcome: outcome) }
        }
        for await event in mirror {
            switch event {
            case .started(let item, let handle): progress.start(item, handle)
            case .completed(let item, let result):
                ended(
                    item.shownPath, .done(result), url: item.sources.first?.description ?? "",
                    isShownByName: item.pathAtSource != nil)
            case .failed(let failure): ended(failure.path, FileOutcome(failure), url: failure.place)
            case .listed(let listing): progress.list(listing)
            case .listedAgain: progress.listAgain()
            case .planned(let path, let action):
                progress.plan(action)
                plan.add(action, path)
            case .deleted(let path): display.show { $0.deleted(path) }
            case .kept(_, let reason): display.show { $0.message(reason) }
            case .ended(let report): last = report
            }
        }
        plan.flush()
        return last
    }

    private static func exitStatus(_ report: MirrorReport) -> Int32 {
        if report.isComplete { return 0 }
        // If a run cannot list anything, its only failure becomes that of the command.
        guard report.hasNotBegun, let code = report.failures.first?.code else { return 1 }
        return Int32(code.rawValue / 100)
    }
}

extension MirrorReport {
    /// True if the job is invalid, or the source could not be read and listed no file. The report then has
    /// only this failure.
    var hasNotBegun: Bool {
        [.sourceFailed, .invalidJob].contains(ending) && completed + skipped == 0 && failed == 1
    }
}

extension FileOutcome {
    /// Creates the outcome of a file that is missing from a mirror.
    init(_ failure: MirrorReport.Failure) {
        let code = failure.code?.rawValue ?? 0
        let place =
            failure.path == nil && !failure.message.contains(failure.place) ? "\(failure.place): " : ""
        let message = failure.remedy?.sentence(failure.message, for: failure.place) ?? failure.message
        self = .failed(
            message: place + message, code: code, exitStatus: code == 0 ? 1 : Int32(code / 100))
    }
}
