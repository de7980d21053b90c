import SegmentedDLSupport

/// The end of a process that SIGINT has stopped.
///
/// It ends by the signal itself, or the shell would consider the interrupt handled and continue its script or
/// loop. The shell shows the status 130 in both cases.
enum Interrupt {
    private static let hasCome = Lock(false)

    /// Records that SIGINT was received.
    static func note() {
        hasCome.withLock { $0 = true }
    }

    /// Ends the process by SIGINT, if received. Returns in a container's first process, which no signal
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
