import ArgumentParser
import Dispatch
import SegmentedDLSupport

/// The signals that end a run: the first SIGINT, SIGTERM or SIGHUP with a checkpoint, the second immediately,
/// as specified by `SignalRule`.
final class Signals {
    private final class Received: Sendable {
        let rule = Lock(SignalRule())
    }

    private let received = Received()
    private let sources: [any DispatchSourceSignal]

    /// The signals that end a run.
    static let ending = [SIGINT, SIGTERM, SIGHUP]

    /// Returns when all signals are handled, so that no later one is lost. Until then, signals have their
    /// default action, which ends the process.
    ///
    /// - Parameter first: Called once, on the first of the signals.
    init(_ numbers: [Int32] = Signals.ending, onFirst first: @escaping @Sendable () -> Void) async {
        let received = received
        sources = numbers.filter { !Self.ignoredAtStart.contains($0) }.map { number in
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if number == SIGINT { Interrupt.note() }
                switch received.rule.withLock({ $0.receive(number, now: Monotonic.now()) }) {
                case .stop: first()
                case .ignore: break
                case .exit(let status):
                    TerminalProgressRenderer.clearBeforeExit()
                    if number == SIGINT { Interrupt.endIfItCame() }
                    _exit(status)
                }
            }
            return source
        }
        for source in sources { await Self.watch(source) }
    }

    /// Resumes a source, and returns when it receives its signal.
    private static func watch(_ source: any DispatchSourceSignal) async {
        await withCheckedContinuation { continuation in
            source.setRegistrationHandler {
                // On Linux, the source itself has replaced the default action, and would not receive an
                // ignored signal. On other systems, it also receives ignored signals.
                #if !os(Linux)
                    signal(Int32(source.handle), SIG_IGN)
                #endif
                continuation.resume()
            }
            source.resume()
        }
    }

    /// The signals that were ignored when the process started: the terminal's hang-up under nohup, and Ctrl-C
    /// and Ctrl-\ in the background of a script. They are meant for other processes.
    private static let ignoredAtStart = Set([SIGHUP, SIGINT, SIGQUIT].filter(StopSignal.isIgnored))

    /// The exit status for the first signal: 130, 143 or 129.
    var exitStatus: Int32? { received.rule.withLock { $0.first.map { 128 + $0 } } }

    /// Runs `work` in a task that the first signal cancels, and then `finish`, which only a second signal
    /// ends. The work begins once the signals are handled.
    ///
    /// - Returns: The result of the work, and the exit status for a signal.
    static func cancelling<Value: Sendable>(
        _ work: @escaping @Sendable () async -> Value, on numbers: [Int32] = Signals.ending,
        then finish: (Value) async -> Void = { _ in }
    ) async -> (value: Value, exitStatus: Int32?) {
        let watched = AsyncEvent()
        let task = Task {
            await watched.wait()
            return await work()
        }
        let signals = await Signals(numbers) { task.cancel() }
        watched.send()
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
        let (result, status) = await cancelling { () async -> Result<Value, any Error> in
            do { return .success(try await work()) } catch { return .failure(error) }
        }
        do {
            return try result.get()
        } catch is CancellationError {
            throw ExitCode(status ?? 130)
        }
    }

    /// Calls a function at each subsequent SIGHUP, until the source is cancelled.
    static func onHangUp(_ action: @escaping @Sendable () -> Void) async -> any DispatchSourceSignal {
        signal(SIGHUP, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler(handler: action)
        await watch(source)
        return source
    }

    /// Restores the default action of SIGQUIT, which Ctrl-\ sends: Swift's runtime treats it as a crash,
    /// prints a backtrace, and continues the process.
    static func endAtQuit() {
        if !ignoredAtStart.contains(SIGQUIT) { signal(SIGQUIT, SIG_DFL) }
    }

    /// Ignores SIGPIPE and SIGXFSZ, so that writing to a pipe without a reader, or beyond the file size limit
    /// of the process, fails with an error instead.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }
}

/// The effect of each signal that ends a run. A plain value.
struct SignalRule: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        /// End with a checkpoint.
        case stop
        /// Do nothing, because it repeats the same request.
        case ignore
        /// Exit immediately with this exit status.
        case exit(status: Int32)
    }

    /// The time in seconds after the first signal during which further ones count as the same: `timeout` of
    /// coreutils signals its child and then the child's whole group, and the hang-up of a terminal is sent by
    /// both the shell and the kernel.
    static let spanSeconds = 0.5

    /// The first signal received, or `nil`.
    private(set) var first: Int32?
    private var firstAt = 0.0

    /// - Parameter now: Seconds on a clock that never jumps.
    mutating func receive(_ number: Int32, now: Double) -> Action {
        guard first != nil else {
            (first, firstAt) = (number, now)
            return .stop
        }
        return now - firstAt < Self.spanSeconds ? .ignore : .exit(status: 128 + number)
    }
}
