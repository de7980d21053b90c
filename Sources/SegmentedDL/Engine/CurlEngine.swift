/// libcurl's multi interface on a thread of its own.
final class CurlEngine: TransferEngine {
    private let mailbox = Mailbox()
    private let thread: EngineThread

    /// - Throws: `DownloadError` if libcurl or the thread cannot be started.
    init(transport: Transport, maxConnections: Int) throws(DownloadError) {
        guard let multi = MultiHandle() else {
            throw DownloadError(.connectionFailed, "libcurl could not be started: out of memory.")
        }
        let mailbox = mailbox
        mailbox.attach(multi)
        let thread = EngineThread {
            CurlLoop(multi: multi, mailbox: mailbox, transport: transport, maxConnections: maxConnections)
                .run()
        }
        guard let thread else {
            mailbox.attach(nil)
            multi.free()
            throw DownloadError(.connectionFailed, "The system has no thread left for the network engine.")
        }
        self.thread = thread
    }

    deinit {
        // Nobody can wait in a deinit; the thread ends by itself. After `shutdown()` it has already been joined.
        if mailbox.stop() { thread.detach() }
    }

    /// Ends all transfers as cancelled and returns when the thread is gone. Further calls return at once.
    func shutdown() async {
        if mailbox.stop() { await thread.join() }
    }

    func settle() async {
        await withCheckedContinuation { continuation in
            if !mailbox.post(.settle(continuation)) { continuation.resume() }
        }
    }

    func open(_ request: TransferRequest) async throws -> any OpenTransfer {
        let id = mailbox.makeID()
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard mailbox.post(.open(id, request, continuation)) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                // A cancellation before the post found nothing to abandon.
                if Task.isCancelled { _ = mailbox.post(.abandon(id)) }
            }
        } onCancel: {
            _ = mailbox.post(.abandon(id))
        }
        return CurlOpenTransfer(id: id, head: head, mailbox: mailbox)
    }
}

/// A transfer of `CurlEngine` whose head has arrived.
final class CurlOpenTransfer: OpenTransfer {
    let head: ResponseHead
    private let id: TransferID
    private let mailbox: Mailbox

    init(id: TransferID, head: ResponseHead, mailbox: Mailbox) {
        self.id = id
        self.head = head
        self.mailbox = mailbox
    }

    deinit {
        abandon()
    }

    func receive(into sink: any BodySink) async -> TransferReport {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard mailbox.post(.receive(id, sink, continuation)) else {
                    continuation.resume(returning: TransferReport(wasCancelled: true))
                    return
                }
                if Task.isCancelled { _ = mailbox.post(.abandon(id)) }
            }
        } onCancel: {
            _ = mailbox.post(.abandon(id))
        }
    }

    func resume() {
        _ = mailbox.post(.resume(id))
    }

    func abandon() {
        _ = mailbox.post(.abandon(id))
    }
}
