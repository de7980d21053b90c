/// One thread of the engine, with its libcurl objects and its connections.
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
                .connectionFailed, "The process has no descriptor left for the network engine (ulimit -n).")
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
            throw DownloadError(.connectionFailed, "The system has no thread left for the network engine.")
        }
        self.mailbox = mailbox
        self.thread = thread
    }

    /// Ends all transfers as cancelled, and returns when the thread has ended. Further calls return at once.
    func shutdown() async {
        if mailbox.stop() { await thread.join() }
    }

    /// Ends all transfers like `shutdown`, without waiting: the thread ends by itself.
    func abandon() {
        if mailbox.stop() { thread.detach() }
    }
}
