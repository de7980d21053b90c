public import Dispatch

/// Collects items from any thread, and processes them in order and in batches on its own dispatch queue.
/// Items that are added while a batch is processed form the next one.
///
/// A failed batch is kept and becomes part of the next one.
public final class BatchQueue<Item: Sendable>: Sendable {
    @usableFromInline
    typealias Waiter = (upTo: Int, continuation: CheckedContinuation<Void, any Error>)

    @usableFromInline
    struct State {
        @usableFromInline var pending: [Item] = []
        /// The weight of the pending items.
        @usableFromInline var weight = 0
        /// The number of items ever added, which is also the number of the newest one.
        @usableFromInline var added = 0
        /// The number of the newest processed item; all earlier ones have also been processed.
        @usableFromInline var processed = 0
        @usableFromInline var isScheduled = false
        @usableFromInline var waiters: [Waiter] = []

        @inlinable
        init() {}
    }

    @usableFromInline let queue: DispatchQueue
    @usableFromInline let state = Lock(State())
    @usableFromInline let threshold: Int
    @usableFromInline let weigh: @Sendable (Item) -> Int
    @usableFromInline let compact: @Sendable ([Item]) -> [Item]
    @usableFromInline let process: @Sendable ([Item]) throws -> Void

    /// - Parameters:
    ///   - label: The dispatch queue's name, for debuggers.
    ///   - threshold: The weight at which items are processed even if no task waits for them.
    ///   - weigh: Returns the weight of an item.
    ///   - compact: Returns a failed batch without the items superseded by later ones.
    ///   - process: Processes a batch. May block. Never called with an empty batch.
    @inlinable
    public init(
        label: String, threshold: Int = 1, weigh: @escaping @Sendable (Item) -> Int = { _ in 1 },
        compact: @escaping @Sendable ([Item]) -> [Item] = { $0 },
        process: @escaping @Sendable ([Item]) throws -> Void
    ) {
        queue = DispatchQueue(label: label)
        self.threshold = threshold
        self.weigh = weigh
        self.compact = compact
        self.process = process
    }

    /// The number of pending items.
    @inlinable public var count: Int { state.withLock { $0.pending.count } }

    /// The number of the newest processed item; all earlier ones have also been processed.
    @inlinable public var processed: Int { state.withLock { $0.processed } }

    /// Adds an item.
    ///
    /// - Returns: Its number, from 1.
    @inlinable
    @discardableResult
    public func add(_ item: Item) -> Int {
        schedule { append(item, to: &$0) }
    }

    /// Adds items that are processed in the same batch.
    ///
    /// - Returns: The number of the last one.
    @inlinable
    @discardableResult
    public func add(contentsOf items: [Item]) -> Int {
        schedule { state in
            for item in items { append(item, to: &state) }
        }
    }

    /// Adds an item, and returns when it is processed.
    ///
    /// - Throws: The errors of `process`.
    @inlinable
    public func addAndWait(_ item: Item) async throws {
        try await withCheckedThrowingContinuation { continuation in
            schedule { state in
                append(item, to: &state)
                state.waiters.append((state.added, continuation))
            }
        }
    }

    /// Returns when all items added so far are processed.
    ///
    /// - Throws: The errors of `process`.
    @inlinable
    public func flush() async throws {
        try await withCheckedThrowingContinuation { continuation in
            schedule { $0.waiters.append(($0.added, continuation)) }
        }
    }

    /// Like `flush`, but blocks. Must not be called by `process`.
    ///
    /// - Throws: The errors of `process`.
    @inlinable
    public func flushBlocking() throws {
        try queue.sync { processPending() }.get()
    }

    /// Runs `body` between two batches, after those already scheduled, and returns when it is done.
    @inlinable
    public func runBetweenBatches(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { continuation in
            queue.async {
                body()
                continuation.resume()
            }
        }
    }

    @inlinable
    func append(_ item: Item, to state: inout State) {
        state.pending.append(item)
        state.weight += weigh(item)
        state.added += 1
    }

    @inlinable
    @discardableResult
    func schedule(_ change: (inout State) -> Void) -> Int {
        let (number, isFirst) = state.withLock { state in
            change(&state)
            let isDue = !state.isScheduled && (!state.waiters.isEmpty || state.weight >= threshold)
            if isDue { state.isScheduled = true }
            return (state.added, isDue)
        }
        if isFirst { queue.async { _ = self.processPending() } }
        return number
    }

    @inlinable
    func processPending() -> Result<Void, any Error> {
        let (batch, upTo) = state.withLock { state in
            state.isScheduled = false
            state.weight = 0
            defer { state.pending = [] }
            return (state.pending, state.added)
        }
        let result = Result { if !batch.isEmpty { try process(batch) } }
        let waiters = state.withLock { state in
            switch result {
            case .success:
                state.processed = upTo
            case .failure:
                state.pending = compact(batch) + state.pending
                state.weight = state.pending.reduce(0) { $0 + weigh($1) }
            }
            let done = state.waiters.filter { $0.upTo <= upTo }
            state.waiters.removeAll { $0.upTo <= upTo }
            return done
        }
        for waiter in waiters { waiter.continuation.resume(with: result) }
        return result
    }
}
