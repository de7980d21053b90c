import Dispatch
import SegmentedDLSupport

/// SIGTSTP, which Ctrl-Z sends, until `end`.
final class StopSignal: Sendable {
    private let source = Lock<(any DispatchSourceSignal)?>(nil)

    /// - Parameter received: Called on a separate thread for each signal, with a closure that stops the
    ///   process and returns when the process continues.
    init(_ received: @escaping @Sendable (_ stop: () -> Void) -> Void) {
        // A shell without job control ignores Ctrl-Z, because no job would resume the process.
        guard !Self.isIgnored(SIGTSTP) else { return }
        source.withLock { $0 = Self.source(SIGTSTP) { received { Self.stop() } } }
    }

    deinit { end() }

    /// Restores the signal's previous handling. May be called repeatedly.
    func end() {
        source.withLock { source in
            guard source != nil else { return }
            source?.cancel()
            source = nil
            signal(SIGTSTP, SIG_DFL)
        }
    }

    /// Returns true if the process ignores a signal.
    static func isIgnored(_ number: Int32) -> Bool {
        let action = signal(number, SIG_IGN)
        signal(number, action)
        // Handlers cannot be compared, but their bits can.
        return unsafeBitCast(action, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Calls a function at each signal, until the source is cancelled.
    static func source(
        _ number: Int32, _ body: @escaping @Sendable () -> Void
    ) -> any DispatchSourceSignal {
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler(handler: body)
        source.resume()
        return source
    }

    /// Stops the process as if there were no handler, and returns when it continues.
    private static func stop() {
        var before = sigaction()
        sigaction(SIGTSTP, nil, &before)
        signal(SIGTSTP, SIG_DFL)
        var only = sigset_t()
        var mask = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, SIGTSTP)
        pthread_sigmask(SIG_UNBLOCK, &only, &mask)
        // Sent to this thread: others block the signal, and the signal source would receive it before them.
        pthread_kill(pthread_self(), SIGTSTP)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        sigaction(SIGTSTP, &before, nil)
    }
}
