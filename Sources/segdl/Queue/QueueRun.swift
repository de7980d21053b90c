import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// Works a queue off, and shows how it goes.
struct QueueRun: Sendable {
    enum End: Sendable {
        case whenIdle, never
    }

    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)

    let manager: DownloadManager
    let messages: MessageLog
    let ends: End

    /// - Returns: The exit status.
    func carryOut(
        with renderer: any ProgressRenderer, _ beforeShutdown: @Sendable () async -> Void
    ) async -> Int32 {
        let display = QueueDisplay(renderer: renderer)
        let events = manager.events
        let work = Task {
            switch ends {
            case .whenIdle: try? await manager.waitUntilIdle()
            case .never: try? await Task.sleep(for: .seconds(Int32.max))
            }
        }
        let signals = Signals { work.cancel() }
        let listener = Task {
            for await event in events {
                if case .changed(let receipt, _) = event { await display.changed(receipt) }
            }
        }
        let ticker = Task {
            while !Task.isCancelled {
                for message in messages.take() { await display.message(message) }
                await display.update(
                    await manager.activeReceipts, await manager.activeTransfers, await manager.progress)
                try? await Task.sleep(for: Self.interval)
            }
        }
        await work.value
        let progress = await manager.progress
        ticker.cancel()
        await ticker.value
        await beforeShutdown()
        try? await manager.shutdown()
        // Its last events have come by now.
        await listener.value
        for message in messages.take() { await display.message(message) }
        if let hint = Self.hint(progress) { await display.message(hint) }
        await display.end(progress)
        return signals.exitStatus ?? Self.exitStatus(progress)
    }

    /// The same on a whole terminal, with keys.
    ///
    /// - Returns: The exit status.
    func carryOutOnScreen(_ beforeShutdown: @Sendable () async -> Void) async -> Int32 {
        let screen = QueueScreenRun(manager: manager, messages: messages, endsWhenIdle: ends == .whenIdle)
        let work = Task { await screen.run() }
        let signals = Signals { work.cancel() }
        _ = await work.value
        let progress = await manager.progress
        await beforeShutdown()
        try? await manager.shutdown()
        let text = [Self.summary(progress), Self.hint(progress)].compactMap { $0 }.joined(separator: "\n")
        StandardError.write(text + "\n")
        return signals.exitStatus ?? Self.exitStatus(progress)
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
            + (rest > 0 ? ", \(rest) not; segdl queue start goes on." : ".")
    }

    fileprivate static func hint(_ progress: QueueProgress) -> String? {
        guard let paused = progress.counts[.paused] else { return nil }
        return "\(paused) paused: they go on with segdl queue resume all, and segdl queue start."
    }
}

/// The renderer of a queue's run, on a thread of its own: a terminal may block it.
actor QueueDisplay {
    private let executor = QueueExecutor(label: "segdl.display")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var renderer: any ProgressRenderer
    /// What ended in this run; what had ended before is not told again.
    private var ended = UnlistedFiles()

    init(renderer: any ProgressRenderer) {
        self.renderer = renderer
    }

    func changed(_ receipt: Receipt) {
        let file = FileSnapshot(receipt)
        switch receipt.state {
        case .completed:
            ended.completed += 1
            ended.bytes += receipt.bytesCompleted
            renderer.finished(file, outcome: .done(DownloadResult(receipt)))
        case .failed:
            ended.failed += 1
            guard let error = receipt.error?.error else { return }
            renderer.finished(file, outcome: FileOutcome(error))
        case .cancelled:
            ended.cancelled += 1
            renderer.finished(file, outcome: .cancelled)
        case .retrying:
            guard let error = receipt.error else { return }
            renderer.message("\(error.queueMessage) It is tried again by itself.")
        case .paused:
            renderer.message("\(file.shownName) is paused.")
        case .queued, .probing, .downloading, .verifying, .finalizing:
            break
        }
    }

    func message(_ text: String) {
        renderer.message(text)
    }

    func update(
        _ active: [Receipt], _ transfers: [Receipt.ID: DownloadProgress], _ progress: QueueProgress
    ) {
        let files = active.map { FileSnapshot($0, transfers[$0.id]) }
        renderer.update(overall(files, progress), files)
    }

    func end(_ progress: QueueProgress) {
        renderer.end(overall([], progress))
    }

    private func overall(_ files: [FileSnapshot], _ progress: QueueProgress) -> Overall {
        var unlisted = ended
        let unfinished: [DownloadState] = [
            .queued, .retrying, .paused, .probing, .downloading, .verifying, .finalizing,
        ]
        unlisted.waiting = unfinished.reduce(0) { $0 + progress.counts[$1, default: 0] } - files.count
        return Overall(files, unlisted: unlisted)
    }
}

extension FileSnapshot {
    /// - Parameter transfer: What its connections do, if it runs.
    init(_ receipt: Receipt, _ transfer: DownloadProgress? = nil) {
        self.init(
            id: Int(receipt.id.rawValue), url: receipt.source.description,
            progress: DownloadProgress(
                state: receipt.state, name: receipt.path?.lastComponent?.string,
                bytesCompleted: receipt.bytesCompleted, bytesTotal: receipt.bytesTotal,
                bytesPerSecond: receipt.bytesPerSecond, secondsRemaining: receipt.secondsRemaining,
                completedRanges: transfer?.completedRanges ?? [],
                activeSegments: transfer?.activeSegments ?? []))
    }
}

extension DownloadResult {
    /// What the receipt of a completed download tells: of all its attempts, not only the last.
    init(_ receipt: Receipt) {
        self.init(
            outcome: .downloaded, path: receipt.path, length: receipt.bytesCompleted,
            bytesWritten: receipt.bytesCompleted, duration: .seconds(receipt.seconds), connections: 0,
            verified: receipt.checksum.map { [$0] } ?? [])
    }
}
