import SegmentedDLSupport

/// How a process ends after SIGINT.
///
/// The process must terminate by the signal itself: otherwise the shell would consider the interrupt
/// handled and continue its script or loop. The shell shows the status 130 in both cases.
enum Interrupt {
    private static let hasCome = Lock(false)

    /// Records that SIGINT was received.
    static func note() {
        hasCome.withLock { $0 = true }
    }

    /// Terminates the process by SIGINT, if it was received. Returns in a container's first process, which is
    /// not terminated by signals without a handler.
    static func endIfItCame() {
        guard hasCome.withLock({ $0 }) else { return }
        fflush(nil)
        signal(SIGINT, SIG_DFL)
        var only = sigset_t()
        sigemptyset(&only)
        sigaddset(&only, SIGINT)
        pthread_sigmask(SIG_UNBLOCK, &only, nil)
        // Sent to this thread, because others block the signal.
        pthread_kill(pthread_self(), SIGINT)
    }
}
