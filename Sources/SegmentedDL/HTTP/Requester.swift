internal import Logging

/// A response whose body is held back, and what it means.
struct Response: Sendable {
    let transfer: any OpenTransfer
    let answer: Answer
    /// What was asked for.
    let source: Source
    /// The answers that led there, each with what was asked for.
    var redirects: [(head: ResponseHead, source: Source)] = []

    var head: ResponseHead { transfer.head }
}

/// Sends one download's requests: adds what each host may see, follows redirects, reads the answer.
struct Requester: Sendable {
    let engine: any TransferEngine
    let slot: FileSlot
    private(set) var route: Route
    private(set) var headers: [HTTPHeader]
    private(set) var credentials: Credentials?
    let maxRedirects: Int
    let limiters: [RateLimiter]
    /// How many seconds a host may ask to wait before the download is given up for now; `nil` for any.
    var patience: Double?
    /// Goes with each request, wherever redirects lead: it tells of a copy, and nothing of its owner.
    var condition: Condition?
    /// Whether a digest of the whole file is asked for, which some servers send only then.
    var wantsDigest = false
    /// The longest body, in bytes, that may come along with its head.
    var prefetch = 0
    var counters = TransferCounters()
    let logger: Logger

    /// Bytes are counted as the server counts them.
    private static let identity = HTTPHeader("Accept-Encoding", "identity")

    /// Bodies of up to this many bytes are received at once, before it is known where to. Most small files are shorter.
    private static let longestPrefetch = 64 * 1024

    /// The same for a download's first request.
    func probing(_ request: DownloadRequest) -> Requester {
        var first = self
        // With the first request only: what follows is asked for because the file has changed.
        if route.source == request.copy?.asked ?? request.source {
            first.condition = request.copy?.known?.condition
        }
        first.prefetch = Self.prefetch(for: request)
        first.wantsDigest = request.followsLinks && request.verifiesServerDigest
        return first
    }

    /// The longest body that may come along with the first head. Where it matters which source sent what, none does.
    private static func prefetch(for request: DownloadRequest) -> Int {
        if case .descriptor = request.destination { return 0 }
        guard request.sources.count == 1, request.pieces == nil, !request.followsLinks else { return 0 }
        return longestPrefetch
    }

    /// The same for another source of the file. What the caller gave for this one's host stays there.
    ///
    /// - Parameters:
    ///   - access: What the sources of one other host get to see.
    ///   - sharedHeaders: What goes to that host besides.
    func asking(_ source: Source, _ access: MirrorAccess, sharedHeaders: [HTTPHeader]) -> Requester {
        var other = self
        other.route = Route(source)
        if source.origin != route.source.origin {
            let isHome = source.origin == access.home?.origin
            other.headers = isHome ? sharedHeaders + access.headers : []
            other.credentials = isHome ? access.credentials : nil
        }
        return other
    }

    /// How many more connections the host takes now; less than 1 if none.
    var room: Int { slot.room(at: route.target.origin.description) }

    /// Waits for the right to open a connection to where the next request goes.
    ///
    /// - Throws: `CancellationError`.
    func permit() async throws -> ConnectionPermit {
        try await slot.connect(to: route.target.origin.description)
    }

    /// - Throws: `TransferFailure.other` if the host has asked to wait for longer than this download wants to.
    func checkPatience() throws {
        let host = route.target.origin.description
        let wait = slot.pause(of: host)
        guard let patience, wait > patience else { return }
        var error = DownloadError(
            .httpStatus, "\(route.source): \(host) is busy and asks to wait for \(Int(wait.rounded(.up))) s.",
            url: route.source.description, isRetryable: true)
        error.retryAfter = wait
        throw TransferFailure.other(error)
    }

    /// Whether a limit of our own has held bytes back in the last second.
    func isHeldBack(now: Double) -> Bool {
        limiters.contains { $0.hasHeld(within: 1, now: now) }
    }

    /// Runs `body` with the right to have one connection open, and gives it back afterwards.
    ///
    /// - Throws: `CancellationError`, and what `body` throws.
    func withPermit<Result>(
        _ body: (inout ConnectionPermit) async throws -> Result
    ) async throws -> Result {
        var permit = try await permit()
        do {
            let result = try await body(&permit)
            permit.release()
            return result
        } catch {
            permit.release()
            throw error
        }
    }

    /// Sends a request.
    ///
    /// - Parameter permit: Exchanged for another one where a redirect leads to another host. The caller releases it, whatever
    ///   happens.
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func open(
        _ range: TransferRequest.Range, _ permit: inout ConnectionPermit
    ) async throws -> Response {
        let direct = route.target
        let response: Response
        do {
            response = try await follow(from: direct, range, &permit)
        } catch TransferFailure.network(let error) {
            // Where redirects lead next time may be another place.
            route.forget(direct)
            throw TransferFailure.network(error)
        }
        guard direct != route.source else { return response }
        switch response.answer {
        case .gone, .signatureRefused: break
        case .failing:
            route.forget(direct)
            return response
        default: return response
        }
        // The remembered target has expired, as signed URLs do: the original leads to a fresh one.
        response.transfer.abandon()
        route.forget(direct)
        return try await follow(from: route.source, range, &permit)
    }

    private func follow(
        from start: Source, _ range: TransferRequest.Range, _ permit: inout ConnectionPermit
    ) async throws -> Response {
        var source = start
        var redirects: [(head: ResponseHead, source: Source)] = []
        while true {
            if source.origin.description != permit.host {
                permit.release()
                permit = try await slot.connect(to: source.origin.description)
            }
            var response = try await send(to: source, range, permit)
            guard case .redirect(let location) = response.answer else {
                if !response.answer.isFailing { route.remember(source) }
                response.redirects = redirects
                return response
            }
            response.transfer.abandon()
            redirects.append((response.head, source))
            source = try next(after: source, location, hops: redirects.count)
        }
    }

    /// What goes with each request to the host that the caller named.
    var sharedHeaders: [HTTPHeader] { [Self.identity] + headers }

    private func request(to source: Source, _ range: TransferRequest.Range) -> TransferRequest {
        var request = TransferRequest(
            url: source.url, host: source.origin.description, range: range, limiters: limiters,
            counters: counters, prefetch: prefetch)
        request.headers = [Self.identity]
        if let condition { request.headers.append(condition.header) }
        if wantsDigest {
            // RFC 9530 and RFC 3230: servers know the one or the other.
            request.headers += [
                HTTPHeader("Want-Repr-Digest", "sha-256=10, sha-512=3"),
                HTTPHeader("Want-Digest", "sha-256, sha-512;q=0.3"),
            ]
        }
        // What the caller gave is for the host it was given for, and for no other.
        if source.origin == route.source.origin {
            request.headers += headers
            request.authenticate(credentials ?? route.source.credentials)
        }
        return request
    }

    private func send(
        to source: Source, _ range: TransferRequest.Range, _ permit: ConnectionPermit
    ) async throws -> Response {
        let request = request(to: source, range)
        do {
            let transfer = try await engine.open(request)
            let answer = Answer(
                transfer.head, asked: range, now: WallClock.seconds(),
                signedFor: request.credentials?.signature?.region)
            if case .busy(let status, let wait?) = answer, wait >= 2 {
                logger.notice(
                    "\(source.origin) is busy (\(status)) and asks to wait for \(Int(wait)) seconds")
            }
            return Response(transfer: transfer, answer: answer, source: source)
        } catch let error as EngineError {
            // Some hosts say that they want no more by saying nothing.
            if error.kind == .connect || error.kind == .lost || error.kind == .timeout { permit.dropped() }
            throw TransferFailure.network(error)
        }
    }

    private func next(after source: Source, _ location: String, hops: Int) throws -> Source {
        guard hops <= maxRedirects else {
            throw TransferFailure.redirect("was redirected more than \(maxRedirects) times.")
        }
        do {
            return try URLParser.parse(location, relativeTo: source)
        } catch {
            throw TransferFailure.redirect("was redirected to a place that cannot be used: \(error.message)")
        }
    }
}
