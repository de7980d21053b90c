/// A mirror's events, while it is carried out; the last one holds its report.
///
/// It begins with the first iteration and is made for one. Who reads slowly slows it down, so that events do not pile up
/// in memory. Who stops reading stops it, with checkpoints.
public struct MirrorRun: AsyncSequence, Sendable {
    /// What happens.
    public typealias Element = MirrorEvent
    /// It does not throw: what fails is in the report.
    public typealias Failure = Never

    /// How many events wait for the reader.
    private static let capacity = 256

    private let carryOut: @Sendable (EventChannel<MirrorEvent>) async -> MirrorReport

    init(_ carryOut: @escaping @Sendable (EventChannel<MirrorEvent>) async -> MirrorReport) {
        self.carryOut = carryOut
    }

    /// Begins the mirror.
    public func makeAsyncIterator() -> Iterator {
        let channel = EventChannel<MirrorEvent>(capacity: Self.capacity)
        let carryOut = carryOut
        let task = Task {
            let report = await carryOut(channel)
            await channel.send(.ended(report))
            channel.finish()
        }
        return Iterator(channel: channel, work: Work(task: task, channel: channel))
    }

    /// Carries it out without looking at its events. Cancelling the task stops it, with checkpoints.
    public func report() async -> MirrorReport {
        var last = MirrorReport()
        for await event in self {
            if case .ended(let report) = event { last = report }
        }
        return last
    }

    /// Goes through the events.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let channel: EventChannel<MirrorEvent>
        fileprivate let work: Work
        private var taken: [MirrorEvent] = []

        fileprivate init(channel: EventChannel<MirrorEvent>, work: Work) {
            self.channel = channel
            self.work = work
        }

        /// The next event; `nil` after the last. When the task is cancelled the mirror is stopped, and its last events
        /// follow.
        public mutating func next() async -> MirrorEvent? {
            if taken.isEmpty {
                taken = await withTaskCancellationHandler {
                    // From its end they are taken away at no cost.
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

    /// Ends the mirror once nobody reads its events any more.
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
