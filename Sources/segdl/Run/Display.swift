internal import SegmentedDL
import SegmentedDLSupport

/// Writes the output of a run on a separate thread.
///
/// A terminal stopped with Ctrl-S blocks the thread that writes to it, which must not be one that is needed
/// for downloads.
actor Display<Output: ProgressRenderer> {
    typealias Change = @Sendable (inout Output) -> Void

    private let executor = QueueExecutor(label: "segdl.display")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private var output: Output
    private let messages: MessageLog
    /// The pending changes. They are stored outside the actor, because `show` would otherwise wait for a
    /// stopped terminal.
    private let pending = Lock<[Change]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Sends an element after each `show` and each message, to one reader, which calls `flush`.
    nonisolated let signals: AsyncStream<Void>

    init(_ output: Output, messages: MessageLog) {
        self.output = output
        self.messages = messages
        let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.signals = signals
        self.signal = signal
        messages.onAddition { signal.yield() }
    }

    /// Queues a change to be shown soon. Returns immediately.
    nonisolated func show(_ change: @escaping Change) {
        pending.withLock { $0.append(change) }
        signal.yield()
    }

    /// Ends `signals`: nothing more will be added.
    nonisolated func finish() {
        signal.finish()
    }

    /// Shows the pending messages and changes.
    func flush() {
        // Take the changes first: otherwise a message in between could be shown after a change that
        // it precedes.
        let changes = pending.withLock { changes in
            defer { changes = [] }
            return changes
        }
        for message in messages.take() { output.message(message) }
        for change in changes { change(&output) }
    }

    func update(_ snapshot: RunSnapshot) {
        output.update(snapshot.overall, snapshot.files)
    }

    /// Shows pending changes, and then the end of the run.
    func end(_ change: Change) {
        flush()
        change(&output)
    }
}
