import SegmentedDLSupport

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// libcurl's multi interface on separate threads.
///
/// One thread suffices for plain HTTP, but not for decryption. TLS connections are therefore distributed over
/// several threads, as are conditional requests, whose many small responses use only CPU time.
final class CurlEngine: TransferEngine {
    /// No network can saturate more threads.
    private static let maximumLanes = 4

    private let lanes: [EngineLane]
    private let table: LaneTable
    private let certificate: ClientCertificate?

    /// - Throws: `DownloadError` if libcurl or a thread cannot be started.
    init(transport: Transport, maxConnections: Int, perHost: Int = .max) throws(DownloadError) {
        certificate = ClientCertificate(transport)
        // A cookie jar can be used by only one thread.
        let count = transport.cookieFile == nil ? max(1, min(Self.processors, Self.maximumLanes)) : 1
        table = LaneTable(LaneChoice(maxConnections: maxConnections, perHost: perHost))
        var lanes: [EngineLane] = []
        // One extra lane, for requests that share connections.
        for number in 0...count {
            do {
                lanes.append(
                    try EngineLane(of: table, transport: transport, maxConnections: maxConnections))
                table.add(isForSharing: number == count)
            } catch {
                // A single lane is sufficient.
                guard !lanes.isEmpty else { throw error }
            }
        }
        self.lanes = lanes
    }

    deinit {
        // A deinit cannot wait for the threads. After `shutdown()`, they have already been joined.
        for lane in lanes { lane.abandon() }
    }

    private static var processors: Int { Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) }

    /// Cancels all transfers, and returns when the threads have exited. Further calls return immediately.
    func shutdown() async {
        for lane in lanes { await lane.shutdown() }
    }

    /// Changes the maximum number of connections, including idle ones. Excess idle connections are closed
    /// when another one is opened.
    func set(maxConnections: Int, perHost: Int) {
        table.set(maxConnections: maxConnections, perHost: perHost)
    }

    func drain() async {
        for lane in lanes {
            await withCheckedContinuation { continuation in
                if !lane.mailbox.post(.drain(continuation)) { continuation.resume() }
            }
        }
    }

    func open(_ request: TransferRequest) async throws -> any OpenTransfer {
        let ticket = table.begin(
            to: request.host, isSpread: request.url.hasPrefix("https:"), kind: request.connectionKind,
            sharing: request.sharedConnections)
        await makeRoom(for: ticket)
        let link = link(to: ticket)
        var request = request
        if !ticket.mayShare { (request.offersHTTP2, request.pipelined) = (false, nil) }
        let opened: OpenedResponse
        do {
            opened = try await answer(over: link) { [request] continuation in
                .open(ticket, request) { continuation.resume(with: $0) }
            }
        } catch let error as EngineError where error.remedy == .clientCertificate {
            throw await explained(error)
        }
        if request.offersHTTP2 || request.pipelined != nil {
            table.answered(ticket, isShared: opened.isShared, isFirst: opened.isFirst)
        }
        return CurlOpenTransfer(opened, over: link)
    }

    func connect(
        _ request: TransferRequest, ended: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        var request = request
        (request.connectsOnly, request.opensConnection) = (true, true)
        let isEncrypted = request.url.hasPrefix("https:")
        let ticket = table.begin(to: request.host, isSpread: isEncrypted, kind: .unused)
        let link = link(to: ticket)
        guard ticket.closing.isEmpty, CurlGlobal.keepsUnusedTLS || !isEncrypted else {
            table.withdraw(ticket)
            ended()
            return {}
        }
        // Nothing is sent, so there is no response.
        if !link.mailbox.post(.open(ticket, request, { _ in ended() })) { ended() }
        return { link.abandon() }
    }

    /// Sends a request over a connection that is shared with other requests.
    ///
    /// - Parameter opening: Called once. The call is made on the engine's thread, unless the engine has
    ///   stopped or has no such connection.
    func open(
        sharing request: TransferRequest,
        _ opening: @escaping @Sendable (Result<OpenedResponse, any Error>, TransferLink) -> Void
    ) -> TransferLink {
        let ticket = table.begin(
            to: request.host, isSpread: true, kind: .shareable, sharing: request.sharedConnections)
        let link = link(to: ticket)
        guard ticket.mayShare, ticket.closing.isEmpty else {
            table.withdraw(ticket)
            opening(.failure(EngineError(kind: .other, message: "no connection to share")), link)
            return link
        }
        let isPosted = link.mailbox.post(
            .open(ticket, request) { [table] result in
                if case .success(let opened) = result {
                    table.answered(ticket, isShared: opened.isShared, isFirst: opened.isFirst)
                }
                opening(result, link)
            })
        if !isPosted { opening(.failure(CancellationError()), link) }
        return link
    }

    /// Returns the error, with details of the client certificate's fault if one is found.
    private func explained(_ error: EngineError) async -> EngineError {
        guard let certificate, let fault = await DiskThread.run({ certificate.fault() }) else { return error }
        var error = error
        (error.message, error.advice, error.remedy) = (fault.text, fault.advice, fault.remedy)
        return error
    }

    func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
        let ticket = table.begin(to: batch.host, isSpread: true, kind: .single)
        await makeRoom(for: ticket)
        return try await answer(over: link(to: ticket)) { .ask(ticket, batch, seconds: seconds, $0) }
    }

    /// Sends the requests of a source over a separate connection, one at a time, and returns when the
    /// connection is closed.
    ///
    /// - Parameters:
    ///   - url: A URL of the host.
    /// - host: The host whose cap includes the connection.
    /// - Throws: `CancellationError`.
    func exchange(with url: String, of host: String, _ source: any FastPathSource) async throws {
        let ticket = table.begin(to: host, isSpread: url.hasPrefix("https:"), kind: .single)
        await makeRoom(for: ticket)
        try await answer(over: link(to: ticket)) { .exchange(ticket, url: url, source, $0) }
    }

    /// Notifies the sources of connections for small files that they have requests again.
    func wake() {
        for lane in lanes { lane.mailbox.sockets.wake() }
    }

    /// Closes idle connections to make room for the request's connection.
    private func makeRoom(for ticket: LaneChoice.Ticket) async {
        for closing in ticket.closing {
            await withCheckedContinuation { continuation in
                if !lanes[closing.lane].mailbox.post(.closeIdle(closing, continuation)) {
                    continuation.resume()
                }
            }
        }
    }

    private func link(to ticket: LaneChoice.Ticket) -> TransferLink {
        TransferLink(ticket: ticket, table: table, mailbox: lanes[ticket.lane].mailbox)
    }

    private func answer<Answer: Sendable>(
        over link: TransferLink,
        to command: @Sendable (CheckedContinuation<Answer, any Error>) -> EngineCommand
    ) async throws -> Answer {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard !Task.isCancelled else {
                    link.table.withdraw(link.ticket)
                    continuation.resume(throwing: CancellationError())
                    return
                }
                guard link.mailbox.post(command(continuation)) else {
                    continuation.resume(throwing: CancellationError())
                    return
                }
                // If the task was cancelled before the post, the request was abandoned before the thread knew
                // it, so abandon it again. A later cancellation is behind the request in the mailbox.
                if Task.isCancelled { link.abandon() }
            }
        } onCancel: {
            link.abandon()
        }
    }
}

/// Links a caller to a transfer on the engine's thread.
struct TransferLink: Sendable {
    let ticket: LaneChoice.Ticket
    let table: LaneTable
    let mailbox: Mailbox

    /// Abandons the transfer, which closes its connection.
    func abandon() {
        _ = mailbox.post(.abandon(ticket.id))
        // Commands posted from now on are processed after this one, so the request already counts as ended
        // for them.
        table.abandon(ticket)
    }
}

/// A transfer of `CurlEngine` whose head has been delivered.
final class CurlOpenTransfer: OpenTransfer {
    private let opened: OpenedResponse
    private let link: TransferLink
    /// Raised when the engine's thread has ended the transfer, or has been told to.
    private let isOver = OnceFlag()

    init(_ opened: OpenedResponse, over link: TransferLink) {
        self.opened = opened
        self.link = link
    }

    var head: ResponseHead { opened.head }
    var isShared: Bool? { opened.isShared }
    var isFirst: Bool { opened.isFirst }
    var body: [UInt8]? { opened.body }
    var refusalText: [UInt8] { opened.refusalText }
    var distance: ServerDistance? { opened.distance }

    deinit {
        abandon()
    }

    func receive(into sink: any BodySink) async -> TransferReport {
        if let body {
            return await DiskThread.run {
                let answer = body.withUnsafeBytes { sink.receive($0) }
                sink.finish()
                return TransferReport(wasCut: answer == .enough)
            }
        }
        defer { isOver.raise() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard link.mailbox.post(.receive(link.ticket.id, sink, continuation)) else {
                    continuation.resume(returning: TransferReport(wasCancelled: true))
                    return
                }
                if Task.isCancelled { link.abandon() }
            }
        } onCancel: {
            link.abandon()
        }
    }

    func resume() {
        _ = link.mailbox.post(.resume(link.ticket.id))
    }

    func abandon() {
        if body == nil, isOver.raise() { link.abandon() }
    }
}

extension TransferRequest {
    fileprivate var connectionKind: LaneChoice.Kind {
        if pipelined != nil { return .pipelined }
        if opensConnection, closesConnection { return .single }
        return offersHTTP2 || precedesSharing ? .shareable : .own
    }
}
