import SegmentedDL
internal import SegmentedDLQueue
import SegmentedDLSupport

/// A queue in full-screen mode, which can be changed with keys.
///
/// It runs on a separate thread, because a terminal that accepts no output blocks the thread that writes to
/// it, which must not be one that is needed for downloads.
actor QueueScreenRun {
    enum End: Sendable, Hashable {
        /// The user pressed the key for it.
        case quit
        /// Nothing is running or will start automatically, or the queue can no longer be read.
        case idle
        case cancelled
    }

    /// At most this fraction of the time (one in this many) is spent on reading receipts, which is slow for a
    /// very long queue.
    private static let share = 10
    /// The maximum time between two readings of the receipts, because time during which the process was
    /// stopped counts as spent on them, and must not delay the next reading.
    private static let longestWait = Duration.seconds(2)

    private let executor = QueueExecutor(label: "segdl.queue-screen")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let manager: DownloadManager
    private let messages: MessageLog
    private let endsWhenIdle: Bool
    private let window: FullScreen
    private var screen: QueueScreen
    private var movesRequested = 0
    private var movesDone = 0
    /// The last move, which awaits all earlier moves.
    private var lastMove: Task<Void, Never>?
    /// True if the user has paused a download here; the run then does not end.
    private var hasPaused = false

    /// - Parameters:
    ///   - messages: The library's messages to show.
    ///   - endsWhenIdle: True if `run` returns when nothing is running any longer, unless the user has paused
    ///     a download.
    ///   - window: The terminal, which is not open yet.
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
        screen.waitsForMore = !endsWhenIdle
    }

    /// Controls the terminal until it returns. Does not shut the manager down.
    func run() async -> End {
        window.open()
        defer { window.close() }
        return await withTaskGroup(of: End?.self) { group in
            group.addTask { await self.followKeys() }
            group.addTask { await self.refreshUntilIdle() }
            group.addTask { await self.announceCompletions() }
            var end: End?
            // The list continues to be shown without a keyboard.
            while end == nil, !Task.isCancelled, let next = await group.next() { end = next }
            // Immediately, because tasks that still wait for a busy manager do not need the terminal.
            window.close()
            group.cancelAll()
            return end ?? .cancelled
        }
    }

    // MARK: Output

    private func refreshUntilIdle() async -> End? {
        var due = ContinuousClock.now
        while !Task.isCancelled {
            let start = ContinuousClock.now
            if start >= due {
                if await refresh() { return .idle }
                let end = ContinuousClock.now
                due =
                    end + min(max(Duration.refreshInterval / 2, (end - start) * Self.share), Self.longestWait)
            }
            draw()
            try? await Task.sleep(for: .refreshInterval)
        }
        return .cancelled
    }

    /// - Returns: True if the run must end.
    private func refresh() async -> Bool {
        let done = movesDone
        // The error of an unreadable queue is reported at its shutdown.
        guard let receipts = try? await manager.receipts(.all) else { return true }
        // They may still be in the order before a move that is already shown.
        guard done == movesRequested else { return false }
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

    /// Shows a message for each download that leaves the list because it has completed.
    private func announceCompletions() async -> End? {
        for await event in manager.events(limit: .max) {
            guard case .changed(let receipt, _) = event, receipt.state == .completed else { continue }
            screen.note("\(screen.name(receipt)) is complete.")
        }
        return nil
    }

    // MARK: Keys

    private func followKeys() async -> End? {
        for await key in window.keys {
            if key == .control("l") { window.invalidate() }
            let intent = screen.press(key)
            if intent == .quit { return .quit }
            if let intent { run(intent) }
            draw()
        }
        return nil
    }

    /// Performs an intent in a task, because a pause returns only when everything is on disk, which must not
    /// delay the next key.
    private func run(_ intent: Intent) {
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

    /// Performs a move after the previous one, because it depends on the resulting order.
    private func move(_ body: @escaping @Sendable () async throws -> Void) {
        movesRequested += 1
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
            // The manager was shut down in the meantime, and the intent is stored.
            return
        } catch {
            screen.report(error)
        }
        draw()
    }
}

extension QueueProgress {
    /// True if nothing is running or will start automatically.
    var isIdle: Bool {
        counts.keys.allSatisfy { $0.isFinal || $0 == .paused }
    }
}
