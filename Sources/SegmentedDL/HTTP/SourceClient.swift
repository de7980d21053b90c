internal import Logging
import SegmentedDLSupport

/// Sends one source's requests: adds the fields for each host, follows redirects, and reads the head of the
/// response.
package struct SourceClient: Sendable {
    let engine: any TransferEngine
    package let slot: FileSlot
    private let redirects: RedirectCache
    let access: HostAccess
    var redirectRule: RedirectRule
    let limiters: [RateLimiter]
    /// The maximum delay that a host may request before the download is postponed; `nil` for any.
    package var patienceSeconds: Double?
    /// True to fail as well if the host requests a longer delay while a request waits for its connection.
    var limitsWaits = false
    /// True to allow pipelined requests.
    var pipelines = false
    /// True to offer HTTP/2.
    var usesHTTP2 = true
    var ifEncoded = EncodedContentPolicy.fail
    /// The name that the caller chose for the file; `nil` for the name in the URL or from the server.
    var chosenName: String?
    /// True to send the cookies set by redirects. With a cookie file, libcurl keeps them.
    var keepsCookies = true
    /// True if the transport sends passwords by basic authentication.
    var sendsBasic = false
    /// The IP versions that connections may use.
    var addressFamily = Transport.AddressFamily.any
    private(set) var counters: TransferCounters
    /// True if a refusal does not indicate that the host is too busy to send files.
    private(set) var isApart = false
    /// True if requests for documents about the file open connections: the idle ones are for the file.
    var leavesIdleConnections = false
    var silence = SilenceWatch()
    /// The number of running calls of `hedged`.
    let hedges = Lock(0)
    let rangeCap = RangeCap()
    /// The number of seconds for which an unreachable host that has responded before is retried.
    var longestOutage = 0.0
    /// The timeouts after which a silent connection is abandoned.
    var patience = SilenceWatch.Patience()
    let answered: AnsweredHosts
    let logger: Logger

    /// - Parameter access: The header fields and credentials for the source's host.
    init(
        of source: Source, _ access: HostAccess, engine: any TransferEngine, slot: FileSlot,
        redirectRule: RedirectRule, limiters: [RateLimiter], answered: AnsweredHosts, logger: Logger
    ) {
        self.init(
            engine: engine, slot: slot, redirects: RedirectCache(source), access: access,
            redirectRule: redirectRule, limiters: limiters, counters: TransferCounters(), answered: answered,
            logger: logger)
    }

    private init(
        engine: any TransferEngine, slot: FileSlot, redirects: RedirectCache, access: HostAccess,
        redirectRule: RedirectRule, limiters: [RateLimiter], counters: TransferCounters,
        answered: AnsweredHosts, logger: Logger
    ) {
        self.engine = engine
        self.slot = slot
        self.redirects = redirects
        self.access = access
        self.redirectRule = redirectRule
        self.limiters = limiters
        self.counters = counters
        self.answered = answered
        self.logger = logger
    }

    /// Creates a client for another source of the same file.
    ///
    /// - Parameter otherAccess: The header fields and credentials for the other source's host, unless it is
    ///   this source's host.
    func client(for other: Source, _ otherAccess: HostAccess) -> SourceClient {
        var client = SourceClient(
            engine: engine, slot: slot, redirects: RedirectCache(other),
            access: other.origin == source.origin ? access : otherAccess, redirectRule: redirectRule,
            limiters: limiters, counters: counters, answered: answered, logger: logger)
        client.patienceSeconds = patienceSeconds
        client.ifEncoded = ifEncoded
        client.chosenName = chosenName
        client.addressFamily = addressFamily
        client.keepsCookies = keepsCookies
        client.sendsBasic = sendsBasic
        client.longestOutage = longestOutage
        client.patience = patience
        client.silence = SilenceWatch(seconds: silence.seconds)
        client.pipelines = pipelines
        client.usesHTTP2 = usesHTTP2
        client.leavesIdleConnections = leavesIdleConnections
        return client
    }

    /// Returns a client for a document about the file: its bytes do not count as the file's, and its failures
    /// do not count against the host.
    ///
    /// - Parameter otherAccess: See `client(for:_:)`.
    func clientApart(for document: Source, _ otherAccess: HostAccess) -> SourceClient {
        var client = client(for: document, otherAccess)
        client.counters = TransferCounters()
        client.isApart = true
        client.chosenName = nil
        client.ifEncoded = .fail
        client.pipelines = false
        return client
    }

    /// The source as given by the caller or a server.
    package var source: Source { redirects.source }

    /// The target of the source's redirects, or the source itself.
    package var target: Source { redirects.target }

    // MARK: Limits

    /// Waits for a permit to open a connection to the host of the next request.
    ///
    /// - Parameter options: The options of a file's first request, which may share a connection with others;
    ///   `nil` for a request that needs a separate connection, such as that of a segment.
    /// - Throws: `CancellationError`.
    func permit(sharingFor options: RequestOptions? = nil) async throws -> ConnectionPermit {
        try await connect(
            to: target.origin.description, group: target.quotaGroup,
            mayShare: options.map { mayShare(target, $0) } ?? false)
    }

    /// Returns true if a first request to a server may share its connection: in HTTP/2, which only TLS
    /// negotiates, or pipelined.
    private func mayShare(_ place: Source, _ options: RequestOptions) -> Bool {
        usesHTTP2 && place.origin.scheme == "https"
            || answered.sendsShortBodies(place.origin.description) && pipelined(place, options) != nil
    }

    /// Returns the destination of the body of a pipelined request, if the file is small.
    private func pipelined(_ place: Source, _ options: RequestOptions) -> PipelinedPlace? {
        guard pipelines, options.isVouchedFor, ifEncoded != .decode, credentials(at: place) == nil,
            !limiters.contains(where: \.isLimited)
        else { return nil }
        return PipelinedPlace(place)
    }

    // MARK: Requests

    /// Sends a request and returns its response, with its body unread.
    ///
    /// - Parameter permit: Exchanged for another one if a redirect leads to another host, or to one whose
    ///   quota is exhausted. The caller always releases it.
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func open(
        _ range: TransferRequest.Range, _ permit: inout ConnectionPermit,
        _ options: RequestOptions = RequestOptions()
    ) async throws -> Response {
        let direct = target
        let response: Response
        do {
            response = try await follow(from: direct, range, &permit, options)
        } catch TransferFailure.network(let error) {
            // The redirects may lead to another target next time.
            redirects.forget(direct)
            throw TransferFailure.network(error)
        }
        guard direct != source else { return response }
        if response.verdict.isFailing { redirects.forget(direct) }
        guard response.verdict.mayMeanExpiry(of: range) else { return response }
        // The cached target has expired, as signed URLs do; the original URL redirects to a new one.
        logger.tell(.expired(status: response.head.status, at: direct, from: source))
        response.transfer.abandon()
        redirects.forget(direct)
        return try await follow(from: source, range, &permit, options)
    }

    private func follow(
        from start: Source, _ range: TransferRequest.Range, _ permit: inout ConnectionPermit,
        _ options: RequestOptions
    ) async throws -> Response {
        var (place, range) = (start, range)
        var cookies = redirects.cookies(for: start)
        var earlier: [(head: ResponseHead, source: Source)] = []
        var (retries, hasChangedScheme) = (CredentialRetries(), false)
        var (redirectedAt, renewals): (Double?, Int) = (nil, 0)
        while true {
            while place.origin.description != permit.host
                || !permit.mayAsk(place.quotaGroup, needsProof: earlier.isEmpty)
            {
                permit.release()
                permit = try await connect(
                    to: place.origin.description, group: place.quotaGroup,
                    mayShare: permit.mayShare && mayShare(place, options))
            }
            let wait = redirectedAt.map { Monotonic.now() - $0 }
            let credentials = try await currentCredentials(at: place)
            var request = request(to: place, range, options, credentials)
            let pipelined = pipelined(place, options)
            if keepsCookies, !request.headers.contains(where: { $0.name.lowercased() == "cookie" }) {
                request.headers += [cookies.field(for: place)].compactMap(\.self)
            }
            try request.checkFields()
            request.precedesSharing = pipelined != nil
            if permit.offersSharing {
                request.pipelined = pipelined
                request.offersHTTP2 = usesHTTP2 && place.origin.scheme == "https"
                request.sharedConnections = permit.sharedConnections
            }
            var response: Response
            do {
                response = try await send(
                    request, to: place, permit, known: options.known, isRedirected: !earlier.isEmpty)
            } catch let error as NotPipelined {
                if error.isLasting { permit.sharesNoMore() }
                permit = try await unshared(permit, for: place)
                continue
            }
            // In HTTP/1.1, chunked coding proves the end of the body. Over TLS, any other end is also proven.
            if response.isOfUnknownEnd || response.isDoubtful {
                response.transfer.abandon()
                permit = try await unshared(permit, for: place)
                continue
            }
            if !hasChangedScheme,
                requiresDigest(response, request, at: place) || requiresBasic(response, request, at: place)
            {
                hasChangedScheme = true
                response.transfer.abandon()
                continue
            }
            if mayRenew(credentials, after: response, &retries), let credentials {
                // The source of the field or the keys may itself need connections, and may fail.
                response.transfer.abandon()
                permit.release()
                let hasAnother = try await renewed(credentials, after: response)
                permit = try await connect(
                    to: permit.host, group: place.quotaGroup, mayShare: permit.mayShare)
                if hasAnother { continue }
            }
            if let wait, mayRenew(response, redirectedBy: start, after: wait, renewals) {
                // A signed URL may have expired while the request was waiting for a connection, or the edge
                // of a store may not have the file yet.
                logger.tell(.expired(status: response.head.status, at: place, from: start))
                response.transfer.abandon()
                (redirectedAt, renewals) = (nil, renewals + 1)
                (place, earlier) = (start, [])
                continue
            }
            guard case .redirect(let location) = response.verdict else {
                if !response.verdict.isFailing { redirects.remember(place, cookies) }
                response.redirects = earlier
                return response
            }
            response.transfer.abandon()
            earlier.append((response.head, place))
            cookies.note(response.head, from: place, now: WallClock.seconds())
            let next = try next(after: place, location, earlier)
            // A body may contain a secret, so it is sent to no other server.
            guard options.body == nil else {
                throw TransferFailure.other(
                    DownloadError(
                        .badRedirect,
                        "'\(place)' redirects a request with a body to '\(next)'; it is not repeated.",
                        url: source.description))
            }
            logger.tell(.redirected(status: response.head.status, from: place, to: next))
            // Some servers redirect every request with a range to itself.
            if next == place, response.head["set-cookie"] == nil { range = .none }
            (place, hasChangedScheme) = (next, false)
            redirectedAt = Monotonic.now()
        }
    }

    /// Exchanges a permit for one for a separate connection to the same host.
    private func unshared(
        _ permit: ConnectionPermit, for place: Source
    ) async throws -> ConnectionPermit {
        permit.release()
        return try await connect(to: permit.host, group: place.quotaGroup)
    }

    /// Returns the header fields of a request to the source's own host.
    func fields(_ options: RequestOptions = RequestOptions(), decodes: Bool = false) -> [HTTPHeader] {
        options.fields(decodes: decodes) + access.headers
    }

    /// The known names of the file: those of both URLs, and the caller's.
    private func names(at place: Source) -> [String] {
        [place.lastPathComponent, source.lastPathComponent] + [chosenName].compactMap(\.self)
    }

    private func request(
        to place: Source, _ range: TransferRequest.Range, _ options: RequestOptions,
        _ credentials: Credentials?
    ) -> TransferRequest {
        var request = TransferRequest(
            url: place.url, host: place.origin.description, range: range, limiters: limiters,
            counters: counters, prefetch: options.prefetchBytes)
        request.body = options.body
        request.silence = TransferRequest.SilenceListener(watch: silence, port: place.origin.port) {
            logger.tell(.silent($0, at: place.origin, source, patience, repeatedAfter: repetition(of: $0)))
        }
        // A server that serves few connections at a time may hold the file's connections until this one ends.
        request.closesConnection = isApart
        request.opensConnection = options.opensConnection || isApart && leavesIdleConnections
        if let onConnect = options.onConnect { request.onConnect = { onConnect(place, $0) } }
        request.resolvesAnew = answered.isUnreachable(place.origin.description)
        request.decodes = ifEncoded.forFile(named: names(at: place)) == .decode
        if place.origin == source.origin {
            request.headers = fields(options, decodes: request.decodes)
        } else {
            request.headers = options.fields(decodes: request.decodes)
        }
        if credentials?.authorization != nil {
            request.headers += [credentials?.field.map { HTTPHeader("Authorization", $0) }].compactMap(\.self)
        } else {
            request.authenticate(credentials)
            request.usesDigest = mayUseDigest(request) && answered.acceptsOnlyDigest(place.origin.description)
        }
        return request
    }

    /// - Parameters:
    ///   - known: The file as an earlier response described it.
    ///   - isRedirected: True if a redirect led to this URL.
    private func send(
        _ request: TransferRequest, to place: Source, _ permit: ConnectionPermit, known: KnownFile?,
        isRedirected: Bool
    ) async throws -> Response {
        let host = place.origin.description
        if let failure = answered.sparedTry(at: host) { throw TransferFailure.network(failure.ofSparedTry) }
        let began = Monotonic.now()
        do {
            // A permit is for one connection.
            permit.abandonTransfer()
            let transfer = try await engine.open(request)
            if transfer.body == nil { permit.carries { transfer.abandon() } }
            let outage = answered.note(
                host,
                isShort: request.prefetch > 0 && transfer.head.status < 300 ? transfer.body != nil : nil)
            answered.responded(host, after: Monotonic.now() - began)
            if let outage { logger.tell(.reachedAgain(place.origin, after: outage)) }
            logger.tell(.answered(transfer.head, from: place))
            if permit.offersSharing, let isShared = transfer.isShared {
                permit.answered(isShared: isShared, roundTrip: transfer.distance?.roundTrip)
            }
            let reason = RefusalReason.text(
                transfer.refusalText, of: transfer.head, secrets: request.secrets)
            var meaning = ResponseVerdict(
                transfer.head, asked: request.range, known: known, now: WallClock.seconds(),
                signedFor: request.credentials?.signature?.region, names: names(at: place),
                ifEncoded: ifEncoded.forFile(named: names(at: place))
            ).corrected(by: reason).signed(by: request.credentials, reason: reason)
            // The URL of a redirect is renewed by the original one.
            if place.url == source.url {
                meaning = meaning.correctedForExpiry(
                    of: place.url, transfer.head, reason: reason, now: WallClock.seconds())
            }
            let quota = RequestQuota(transfer.head, now: WallClock.seconds())
            if let delay = permit.told(quota, isRefusal: meaning.isBusy) {
                logger.tell(.quotaExhausted(host, seconds: delay, advice: advice(at: host, after: delay)))
            }
            // Another request may fail because of the pause as soon as it is reported.
            if !isApart, case .busy(let status, let wait?) = meaning {
                answered.notePause(host, status: status, seconds: wait, tells: false)
            }
            let verdict = isApart ? meaning : permit.report(meaning)
            if case .busy(let status, let wait) = meaning {
                counters.refused()
                // The retry will report that the file itself is refused.
                if !isApart, verdict == meaning {
                    let isNews = wait.map { answered.notePause(host, status: status, seconds: $0) }
                    logger.tell(
                        .busy(
                            place.origin, status: status, seconds: wait,
                            advice: advice(at: host, after: wait),
                            isNews: isNews ?? true))
                }
            }
            return Response(
                transfer: transfer, verdict: verdict, source: place,
                isDecoded: request.decodes && ResponseVerdict.encoding(transfer.head) != nil, asked: source,
                reason: reason, isOfLaterRange: request.range.isLater)
        } catch let error as EngineError {
            if case .proxyRefused(let status) = error.kind {
                throw TransferFailure.proxyRefused(status: .init(status, of: place.origin))
            }
            if let fault = error.fault(of: addressFamily, at: place.origin) {
                throw TransferFailure.network(fault.at(place.origin))
            }
            var failure = error.namingProxy(before: place.origin).at(place.origin)
            // For a known file, redirects may alternate between several hosts, only some of which serve the
            // right file.
            failure.isBeforeAnyAnswer = !answered.contains(host) && (!isRedirected || known == nil)
            // If other connections are open, an immediate close is due to a limit of the host.
            failure.isOfNoAnswer = error.endsConnection && permit.isAlone
            // Some hosts refuse further connections without a response.
            if !isApart, [.connect, .refused, .lost, .timeout, .truncated].contains(error.kind) {
                counters.dropped()
                permit.dropped()
            }
            if !isApart, failure.isOfConnecting {
                noteUnreachable(&failure, place, cost: Monotonic.now() - began)
            }
            let thrown = TransferFailure.network(failure)
            throw request.range.isLater ? thrown.ofLaterRange : thrown
        }
    }
}
