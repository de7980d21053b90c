import SegmentedDLSupport

/// The end of a process that SIGINT has stopped.
///
/// It ends by the signal itself, because otherwise the shell takes the interrupt for handled and goes on with
/// its script or loop. The shell shows the status 130 in both cases.
enum Interrupt {
    private static let hasCome = Lock(false)

    /// Notes that SIGINT has come.
    static func note() {
        hasCome.withLock { $0 = true }
    }

    /// Ends the process by SIGINT, if that has come. Returns in a container's first process, which no signal
    /// without a handler ends.
    static func endIfItCame() {
        guard hasCome.withLock({ $0 }) else { return }
        fflush(nil)
        signal(SIGINT, SIG_DFL)
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        // To this thread: others block the signal.
        pthread_kill(pthread_self(), SIGINT)
    }
}
