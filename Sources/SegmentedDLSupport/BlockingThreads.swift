import Dispatch

/// Threads for blocking calls, separate from those that run Swift's tasks.
///
/// On Linux, a concurrent dispatch queue shares its few threads with Swift's cooperative pool: if as many
/// calls block as there are processors, every task is delayed by up to a second. A serial queue has its own
/// thread.
public final class BlockingThreads: Sendable {
    private struct State {
        var idle: [DispatchQueue] = []
        var count = 0
        var waiting: [@Sendable () -> Void] = []
    }

    private let label: String
    private let limit: Int
    private let state = Lock(State())

    /// - Parameter limit: The maximum number of simultaneously blocked calls; others wait.
    public init(label: String, limit: Int) {
        self.label = label
        self.limit = limit
    }

    /// Threads that wait for other programs and threads.
    public static let waiting = BlockingThreads(label: "SegmentedDL.waiting", limit: 256)

    /// Runs `body` on a thread that may block.
    public func run(_ body: @escaping @Sendable () -> Void) {
        let queue = state.withLock { state -> DispatchQueue? in
            if let idle = state.idle.popLast() { return idle }
            guard state.count < limit else {
                state.waiting.append(body)
                return nil
            }
            state.count += 1
            return DispatchQueue(label: label)
        }
        guard let queue else { return }
        queue.async { [self] in
            body()
            while let next = next(orIdle: queue) { next() }
        }
    }

    /// Returns the next call; if there is none, the thread becomes idle.
    private func next(orIdle queue: DispatchQueue) -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.idle.append(queue)
            return nil
        }
    }
}
