/// One of the engine's threads, with its libcurl objects and connections.
struct EngineLane: Sendable {
    let mailbox: Mailbox
    private let thread: EngineThread

    /// - Throws: `DownloadError` with code `connectionFailed` if the system lacks the memory, descriptor or
    ///   thread for it.
    init(of table: LaneTable, transport: Transport, maxConnections: Int) throws(DownloadError) {
        guard let multi = MultiHandle() else {
            throw DownloadError(.connectionFailed, "libcurl could not be started: out of memory.")
        }
        guard let sockets = SocketPoll() else {
            multi.free()
            throw DownloadError(
                .connectionFailed,
                "No file descriptors are left for the network engine; close other files, or raise the limit (ulimit -n)."
            )
        }
        let mailbox = Mailbox(sockets)
        let thread = EngineThread {
            CurlLoop(
                multi: multi, mailbox: mailbox, table: table, transport: transport,
                maxConnections: maxConnections
            ).run()
        }
        guard let thread else {
            multi.free()
            throw DownloadError(
                .connectionFailed, "The system cannot create a thread for the network engine.")
        }
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Cancels all transfers, and returns when the thread has exited. Further calls return immediately.
    func shutdown() async {
        if mailbox.stop() { await thread.join() }
    }

    /// Cancels all transfers like `shutdown`, but does not wait until the thread has exited.
    func abandon() {
        if mailbox.stop() { thread.detach() }
    }
}
