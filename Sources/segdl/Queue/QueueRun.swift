import SegmentedDL
internal import SegmentedDLQueue
import SegmentedDLSupport

/// The run of a queue, with its progress on the terminal.
struct QueueRun: Sendable {
    enum End: Sendable {
        case whenIdle, never
        /// Stopped by the signal.
        case when(AsyncEvent)
    }

    let manager: DownloadManager
    let messages: MessageLog
    let ends: End
    /// The final messages about unfinished downloads.
    var hints: @Sendable (QueueProgress) -> [String] = QueueRun.hints(_:)
    /// The signals that end the run with checkpoints.
    var signals = Signals.ending
    /// Called when signals are handled.
    var begin: @Sendable () -> Void = {}

    /// Runs the queue with a renderer.
    ///
    /// - Parameter events: The manager's events; `nil` for all subsequent ones.
    /// - Returns: The exit status.
    func run(
        with renderer: some ProgressRenderer, events: AsyncStream<QueueEvent>? = nil,
        beforeShutdown: () async -> Void
    ) async -> Int32 {
        let display = Display(renderer, messages: messages)
        let progress = QueueRunProgress()
        var loop = RunLoop(display: display, signals: signals) { await progress.snapshot(of: manager) }
        loop.changed = { await progress.waitForChange(of: manager) }
        let events = events ?? manager.events(limit: .max)
        let (last, signal) = await withTaskGroup(of: Void.self) { listener in
            listener.addTask {
                for await event in events {
                    guard case .changed(let receipt, _) = event else { continue }
                    if let change = progress.change(receipt) { display.show { change.show(in: &$0) } }
                }
            }
            return await loop.run {
                await end()
                return await manager.progress
            } cleanUp: {
                await beforeShutdown()
                try? await manager.shutdown()
                // The last events precede the end of the shutdown.
                await listener.waitForAll()
            } end: { output, last in
                for hint in hints(last) { output.message(hint) }
                // An old failure also affects the exit status, and -q shows errors.
                if renderer is QuietRenderer, let failed = Self.failures(last) {
                    StandardError.write("segdl: \(failed)\n")
                }
                output.end(progress.snapshot([], last).overall)
            }
        }
        return signal ?? Self.exitStatus(last)
    }

    /// Returns when the run must end, or the task is cancelled.
    private func end() async {
        begin()
        switch ends {
        case .whenIdle: try? await manager.waitUntilIdle()
        case .never: try? await Task.sleep(for: .seconds(Int32.max))
        case .when(let signal): await signal.wait()
        }
    }

    /// Runs the queue in full-screen mode, controlled by keys.
    ///
    /// - Returns: The exit status.
    func runOnScreen(beforeShutdown: () async -> Void) async -> Int32 {
        let endsWhenIdle = if case .whenIdle = ends { true } else { false }
        let screen = QueueScreenRun(manager: manager, messages: messages, endsWhenIdle: endsWhenIdle)
        let (last, signal) = await Signals.cancelling {
            _ = await screen.run()
            return await manager.progress
        } then: { last in
            await beforeShutdown()
            try? await manager.shutdown()
            let text = ([Self.summary(last)] + hints(last)).joined(separator: "\n")
            StandardError.write(text + "\n")
        }
        return signal ?? Self.exitStatus(last)
    }
}

extension QueueRun {
    fileprivate static func exitStatus(_ progress: QueueProgress) -> Int32 {
        progress.counts[.failed, default: 0] > 0 ? 1 : 0
    }

    fileprivate static func summary(_ progress: QueueProgress) -> String {
        let completed = progress.counts[.completed, default: 0]
        let failed = progress.counts[.failed].map { ", \($0) failed" } ?? ""
        let rest = progress.downloads - completed - progress.counts[.failed, default: 0]
        return "\(completed) of \(progress.downloads) completed\(failed)"
            + (rest > 0 ? ", \(rest) not; segdl queue start resumes them." : ".")
    }

    fileprivate static func hints(_ progress: QueueProgress) -> [String] {
        var hints: [String] = []
        if let paused = progress.counts[.paused] {
            hints.append(
                "\(paused) paused; to resume them, run segdl queue resume all, then segdl queue start.")
        }
        return hints + (failures(progress).map { [$0] } ?? [])
    }

    fileprivate static func failures(_ progress: QueueProgress) -> String? {
        progress.counts[.failed].map {
            "\($0) failed; segdl queue list shows why, and segdl queue resume NUMBER tries again."
        }
    }
}
