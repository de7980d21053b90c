import SegmentedDL
internal import SegmentedDLQueue
import SegmentedDLSupport

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows a queue on the whole terminal, and does what keys ask for, until it ends.
///
/// It has a thread of its own: a terminal that takes no more blocks who writes to it, and that must not be a download.
actor QueueScreenRun {
    enum End: Sendable, Hashable {
        /// The user wants to leave.
        case quit
        /// Nothing runs and nothing will by itself, or the queue cannot be read any more.
        case idle
        /// The task was cancelled.
        case cancelled
    }

    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)
    /// The receipts of a very long queue take their time: at most one part in so many is spent on them.
    private static let share = 10
    /// Time in which the process was stopped counts as time spent: it must not keep the display waiting.
    private static let longestWait = Duration.seconds(2)

    private let executor = QueueExecutor(label: "segdl.queue-screen")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let manager: DownloadManager
    private let messages: MessageLog
    private let endsWhenIdle: Bool
    private let window: FullScreen
    private var screen: QueueScreen
    private var movesAskedFor = 0
    private var movesDone = 0
    /// It waits for all before it.
    private var lastMove: Task<Void, Never>?
    /// Whether something waits because the user said so here: that is no end.
    private var hasPaused = false

    /// - Parameters:
    ///   - messages: What the library logs, to be shown.
    ///   - endsWhenIdle: Whether `run` returns once nothing runs any more, unless the user has paused something.
    ///   - window: The terminal, not open yet.
    init(
        manager: DownloadManager, messages: MessageLog, endsWhenIdle: Bool, terminal: Terminal = Terminal(),
        window: FullScreen? = nil
    ) {
        self.manager = manager
        self.messages = messages
        self.endsWhenIdle = endsWhenIdle
        let window = window ?? FullScreen(color: terminal.color)
        self.window = window
        screen = QueueScreen(size: window.size, terminal: terminal)
    }

    /// Takes the terminal over until it returns. The manager is left as it is.
    func run() async -> End {
        window.open()
        defer { window.close() }
        return await withTaskGroup(of: End?.self) { group in
            group.addTask { await self.obey() }
            group.addTask { await self.follow() }
            group.addTask { await self.announce() }
            var end: End?
            // Without a keyboard the list goes on.
            while end == nil, !Task.isCancelled, let next = await group.next() { end = next }
            // At once: what still waits for a busy manager needs no terminal.
            window.close()
            group.cancelAll()
            return end ?? .cancelled
        }
    }

    // MARK: What is seen

    private func follow() async -> End? {
        var due = ContinuousClock.now
        while !Task.isCancelled {
            let start = ContinuousClock.now
            if start >= due {
                if await refresh() { return .idle }
                let end = ContinuousClock.now
                due = end + min(max(Self.interval / 2, (end - start) * Self.share), Self.longestWait)
            }
            draw()
            try? await Task.sleep(for: Self.interval)
        }
        return .cancelled
    }

    /// - Returns: Whether this is the end.
    private func refresh() async -> Bool {
        let done = movesDone
        // Why the queue cannot be read any more is said when it is shut down.
        guard let receipts = try? await manager.receipts(.all) else { return true }
        // They can be in an order from before a move that the screen shows already.
        guard done == movesAskedFor else { return false }
        var progress = QueueProgress()
        for index in receipts.indices { progress.add(receipts[index]) }
        screen.update(receipts, progress, now: Date())
        let paused = progress.counts[.paused] ?? 0
        return endsWhenIdle && progress.isIdle && !(hasPaused && paused > 0)
    }

    private func draw() {
        for message in messages.take() { screen.note(message) }
        screen.size = window.size
        window.draw(screen.frame, size: screen.size)
    }

    /// What is complete leaves the list: it is said that it was not lost.
    private func announce() async -> End? {
        for await event in manager.events {
            guard case .changed(let receipt, _) = event, receipt.state == .completed else { continue }
            screen.note("\(screen.name(receipt)) is complete.")
        }
        return nil
    }

    // MARK: What is asked for

    private func obey() async -> End? {
        for await key in window.keys {
            if key == .control("l") { window.invalidate() }
            let intent = screen.press(key)
            if intent == .quit { return .quit }
            if let intent { carryOut(intent) }
            draw()
        }
        return nil
    }

    /// In a task: a pause returns only when all is on the disk, and the next key must not wait for that.
    private func carryOut(_ intent: Intent) {
        let manager = manager
        switch intent {
        case .quit: break
        case .pause(let id):
            hasPaused = true
            attempt { try await manager.pause(.id(id)) }
        case .pauseAll:
            hasPaused = true
            attempt { try await manager.pause(.all) }
        case .start(let id): attempt { try await manager.start(.id(id)) }
        case .resumeAll: attempt { try await manager.resume(.all) }
        case .cancel(let id): attempt { try await manager.cancel(.id(id)) }
        case .remove(let id): attempt { try await manager.remove(.id(id)) }
        case .restart(let id): attempt { try await manager.restart(.id(id)) }
        case .moveToFront(let id): move { try await manager.moveToFront(.id(id)) }
        case .moveToBack(let id): move { try await manager.moveToBack(.id(id)) }
        case .moveBefore(let id, let other): move { try await manager.move(.id(id), before: other) }
        }
    }

    private func attempt(_ body: @escaping @Sendable () async throws -> Void) {
        Task { await self.finish(body) }
    }

    /// Moves are carried out one after the other: each is meant in the order that the one before has made.
    private func move(_ body: @escaping @Sendable () async throws -> Void) {
        movesAskedFor += 1
        lastMove = Task { [lastMove] in
            await lastMove?.value
            await self.finish(body)
            self.movesDone += 1
        }
    }

    private func finish(_ body: @Sendable () async throws -> Void) async {
        do {
            try await body()
        } catch is CancellationError {
            // The manager was shut down meanwhile, and what was asked for is stored.
            return
        } catch {
            screen.report(error)
        }
        draw()
    }
}

extension QueueProgress {
    /// Whether nothing runs and nothing will by itself.
    fileprivate var isIdle: Bool {
        counts.keys.allSatisfy { $0.isFinal || $0 == .paused }
    }
}
