import SegmentedDLSupport

/// What other threads ask of the engine's thread.
enum EngineCommand: Sendable {
    case open(LaneChoice.Place, TransferRequest, CheckedContinuation<OpenedResponse, any Error>)
    /// Send requests about copies over a connection of their own.
    case ask(
        LaneChoice.Place, ConditionalRequests, seconds: Double,
        CheckedContinuation<ConditionalAnswers, any Error>)
    case receive(TransferID, any BodySink, CheckedContinuation<TransferReport, Never>)
    /// Offer held bytes to the sink again.
    case resume(TransferID)
    case abandon(TransferID)
    /// Say when all that was posted before is done.
    case settle(CheckedContinuation<Void, Never>)
}

typealias TransferID = Int

/// The only way from other threads to the engine's thread: a list under a mutex, and a wake-up.
final class Mailbox: Sendable {
    private struct State {
        var commands: [EngineCommand] = []
        var isStopped = false
    }

    /// What the thread waits on.
    let sockets: SocketPoll
    private let state = Lock(State())

    init(_ sockets: SocketPoll) {
        self.sockets = sockets
    }

    /// Posts a command and wakes the thread.
    ///
    /// - Returns: `false` if the engine has stopped; the command is then not kept.
    func post(_ command: EngineCommand) -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            // The thread takes all commands at once: only the first one needs to wake it.
            let wasEmpty = state.commands.isEmpty
            state.commands.append(command)
            if wasEmpty { sockets.wake() }
            return true
        }
    }

    /// Makes later posts fail and wakes the thread, which then ends what is under way.
    ///
    /// - Returns: Whether this call was the first: its caller looks after the thread.
    func stop() -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.isStopped = true
            sockets.wake()
            return true
        }
    }

    func take() -> (commands: [EngineCommand], isStopped: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isStopped)
        }
    }
}
