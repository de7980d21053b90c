import ArgumentParser
import Dispatch
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport

/// The signals that end a run: the first SIGINT, SIGTERM or SIGHUP with a checkpoint, the second at once, as
/// `SignalRule` says.
final class Signals {
    private final class Received: Sendable {
        let rule = Lock(SignalRule())
    }

    private let received = Received()
    private let sources: [any DispatchSourceSignal]

    /// The signals that end a run.
    static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// - Parameter first: Called once, on the first of the signals.
    init(_ numbers: [Int32] = Signals.ending, onFirst first: @escaping @Sendable () -> Void) {
        let received = received
        sources = numbers.compactMap { number in
            // The default action would end the process before the source receives the signal.
            let before = signal(number, SIG_IGN)
            // Under nohup the end of the terminal is to be ignored. Handlers cannot be compared, their bits
            // can.
            if number == SIGHUP, unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) {
                return nil
            }
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                switch received.rule.withLock({ $0.receive(number, now: Monotonic.now()) }) {
                case .stop: first()
                case .ignore: break
                case .exit(let status):
                    TerminalProgressRenderer.clearBeforeExit()
                    _exit(status)
                }
            }
            source.resume()
            return source
        }
    }

    /// The exit status that the first signal asks for: 130, 143 or 129.
    var exitStatus: Int32? { received.rule.withLock { $0.first.map { 128 + $0 } } }

    /// Runs `work` in a task that the first signal cancels, and then `finish`, which only a second signal
    /// ends.
    ///
    /// - Returns: The result of the work, and the exit status that a signal asks for.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value, on numbers: [Int32] = Signals.ending,
        then finish: (Value) async -> Void
    ) async -> (value: Value, exitStatus: Int32?) {
        let task = Task { await work() }
        let signals = Signals(numbers) { task.cancel() }
        let value = await task.value
        await finish(value)
        return (value, signals.exitStatus)
    }

    /// Runs `work` in a task that the first signal cancels.
    ///
    /// - Throws: The error of the work; `ExitCode` instead of a `CancellationError`.
    static func interrupting<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let task = Task { try await work() }
        let signals = Signals { task.cancel() }
        do {
            return try await task.value
        } catch is CancellationError {
            throw ExitCode(signals.exitStatus ?? 130)
        }
    }

    /// Calls a function at each SIGHUP, until the source is cancelled.
    static func onHangUp(_ action: @escaping @Sendable () -> Void) -> any DispatchSourceSignal {
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler(handler: action)
        source.resume()
        return source
    }

    /// Ignores two signals, so that a write to a pipe without a reader, and one beyond the longest file that
    /// the process may write, fail with an error instead.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}
