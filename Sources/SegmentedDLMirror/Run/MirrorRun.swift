/// The events of a running mirror. The last one contains the report.
///
/// The mirror begins with the first iteration; only one iteration is supported. A slow reader slows down the
/// mirror, so that events do not accumulate in memory. If the reader stops, the mirror stops with
/// checkpoints.
public struct MirrorRun: AsyncSequence, Sendable {
    /// The type of the events.
    public typealias Element = MirrorEvent
    /// The iteration does not throw: failures are in the report.
    public typealias Failure = Never

    /// The maximum number of buffered events.
    private static let capacity = 256

    private let body: @Sendable (EventChannel<MirrorEvent>) async -> MirrorReport

    init(_ body: @escaping @Sendable (EventChannel<MirrorEvent>) async -> MirrorReport) {
        self.body = body
    }

    /// Starts the mirror.
    ///
    /// - Returns: An iterator over its events.
    public func makeAsyncIterator() -> Iterator {
        let channel = EventChannel<MirrorEvent>(capacity: Self.capacity)
        let body = body
        let task = Task {
            let report = await body(channel)
            await channel.send(.ended(report))
            channel.finish()
        }
        return Iterator(channel: channel, work: Work(task: task, channel: channel))
    }

    /// Runs the mirror without reading its events. Cancelling the task stops the mirror with checkpoints.
    ///
    /// - Returns: The report, with the failures.
    public func report() async -> MirrorReport {
        var last = MirrorReport()
        for await event in self {
            if case .ended(let report) = event { last = report }
        }
        return last
    }

    /// An iterator over the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: EventChannel<MirrorEvent>
        fileprivate let work: Work
        private var taken: [MirrorEvent] = []

        fileprivate init(channel: EventChannel<MirrorEvent>, work: Work) {
            self.channel = channel
            self.work = work
        }

        /// Returns the next event; `nil` after the last one. If the task is cancelled, the mirror stops, and
        /// its last events are still returned.
        public mutating func next() async -> MirrorEvent? {
            if taken.isEmpty {
                taken = await withTaskCancellationHandler {
                    // Reversed, because removing the last element is cheap.
                    await channel.next().reversed()
                } onCancel: { [work] in
                    work.task.cancel()
                }
            } else if Task.isCancelled {
                work.task.cancel()
            }
            return taken.popLast()
        }
    }

    /// Ends the mirror when the last reader of its events is released.
    fileprivate final class Work: Sendable {
        let task: Task<Void, Never>
        private let channel: EventChannel<MirrorEvent>

        init(task: Task<Void, Never>, channel: EventChannel<MirrorEvent>) {
            self.task = task
            self.channel = channel
        }

        deinit {
            task.cancel()
            channel.finish()
        }
    }
}
