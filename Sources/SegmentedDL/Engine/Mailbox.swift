import SegmentedDLSupport

/// A command from another thread to one of the engine's threads.
enum EngineCommand: Sendable {
    case open(LaneChoice.Ticket, TransferRequest, TransferPhase.Opening)
    /// Send conditional requests over a separate connection.
    case ask(
        LaneChoice.Ticket, ConditionalRequests, seconds: Double,
        CheckedContinuation<ConditionalAnswers, any Error>)
    /// Send the requests of a source over a separate connection, one at a time.
    case exchange(
        LaneChoice.Ticket, url: String, any FastPathSource, CheckedContinuation<Void, any Error>)
    case receive(TransferID, any BodySink, CheckedContinuation<TransferReport, Never>)
    /// Offer retained bytes to the sink again.
    case resume(TransferID)
    case abandon(TransferID)
    /// Close an idle connection, and resume the caller.
    case closeIdle(LaneChoice.Closing, CheckedContinuation<Void, Never>)
    /// Resume the caller when all earlier commands have been processed.
    case drain(CheckedContinuation<Void, Never>)
}

/// The only path from other threads to the engine's thread: a command queue protected by a mutex, and a
/// wake-up.
final class Mailbox: Sendable {
    private struct State {
        var commands: [EngineCommand] = []
        /// True once the engine has asked the thread to exit.
        var isStopped = false
        /// True once the thread has decided to exit by itself.
        var isClosed = false
    }

    /// The thread's sockets, through which it is woken up.
    let sockets: SocketPoll
    private let state = Lock(State())

    init(_ sockets: SocketPoll) {
        self.sockets = sockets
    }

    /// Posts a command and wakes the thread.
    ///
    /// - Returns: False if the engine has stopped and the command was dropped.
    func post(_ command: EngineCommand) -> Bool {
        state.withLock { state in
            guard !state.isStopped, !state.isClosed else { return false }
            // The thread removes all commands at once, so only the first one needs to wake it.
            let wasEmpty = state.commands.isEmpty
            state.commands.append(command)
            if wasEmpty { sockets.wake() }
            return true
        }
    }

    /// Makes later posts fail, and wakes the thread, which then ends all transfers.
    ///
    /// - Returns: True for the first call, whose caller joins or detaches the thread.
    func stop() -> Bool {
        state.withLock { state in
            guard !state.isStopped else { return false }
            state.isStopped = true
            sockets.wake()
            return true
        }
    }

    /// Makes later posts fail because the thread exits by itself. The engine must still call `stop`.
    func close() {
        state.withLock { $0.isClosed = true }
    }

    /// Removes and returns all commands. If `isStopped` is true, no others will follow.
    func take() -> (commands: [EngineCommand], isStopped: Bool) {
        state.withLock { state in
            defer { state.commands = [] }
            return (state.commands, state.isStopped || state.isClosed)
        }
    }
}
