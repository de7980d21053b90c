internal import Logging
import SegmentedDLSupport

/// The first request of a download, whose body is already the first segment.
struct Probe: Sendable {
    let client: SourceClient
    let options: RequestOptions
    let retry: RetryPolicy
    /// True if a single response must contain the whole file, because no two describe the same file.
    let asksForAll: Bool
    /// True to use digests that the server sends.
    let readsDigest: Bool
    /// True to use further sources that servers link to.
    let readsLinks: Bool
    /// The facts about the file that are known before the request.
    let expected: ExpectedFile
    /// Opens the connections of further segments beside the request; `nil` for none.
    let early: EarlyConnections?

    /// Requests everything from `offset` on, and returns with the body unread.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func run(from offset: Int64) async throws -> FirstResponse {
        let decodes = client.ifEncoded == .decode
        var range = FirstRange(
            from: offset, asksForAll: decodes || asksForAll, mayTry: retry.retries > 0)
        return try await retry.retrying(for: client, hasAnswered: false, made: { range.trials }) {
            try client.checkPatience()
            range.begin()
            let latest = Lock(range)
            defer { range = latest.withLock { $0 } }
            do {
                return try await client.hedged(mayOmitRange: range.mayOmit) { kind in
                    var range = latest.withLock { $0 }
                    if kind == .withoutRange { range.omit() }
                    do {
                        return try await answer(&range, shares: !decodes && kind == .first)
                    } catch {
                        // The next attempt depends on what was tried.
                        latest.withLock { $0 = range }
                        throw error
                    }
                }
            } catch {
                // The host may accept no other connection than the next attempt's.
                early?.keep(0)
                throw error
            }
        }
    }

    /// - Parameter shares: True if the request may share a connection. A decoded body may not, because in
    ///   HTTP/2 only its length proves that a body is complete.
    private func answer(_ range: inout FirstRange, shares: Bool) async throws -> FirstResponse {
        var permit = try await client.permit(sharingFor: shares ? options : nil)
        do {
            let response = try await ask(&range, &permit)
            // The next file can use the connection while this one is written to disk.
            if response.response.transfer.body != nil { permit.release() }
            return response
        } catch {
            permit.release()
            throw error
        }
    }

    private func ask(
        _ range: inout FirstRange, _ permit: inout ConnectionPermit
    ) async throws -> FirstResponse {
        var options = options
        if let early {
            options.onConnect = { [weak early] in early?.connected(to: $0, roundTrip: $1) }
        }
        while true {
            let began = Monotonic.now()
            let response = try await client.open(range.asked, &permit, options)
            let setupTime = Monotonic.now() - began
            let meaning = FirstRequestOutcome(
                response.verdict, asked: range, copy: options.copy.map { $0.isDescribed(by: response) },
                hasCondition: options.hasCondition,
                claimsRanges: response.head["accept-ranges"]?.lowercased() == "bytes",
                arrived: response.transfer.body.map { Int64($0.count) },
                isPage: expected.isOtherwise(than: response.head["content-type"]),
                mayBeEmpty: expected.isEmpty || ServerDigest.isOfNothing(response.head))
            switch meaning {
            case .found(let file):
                // The body is not needed if the copy exists.
                if file.isUnchanged { response.transfer.abandon() }
                if file.body != nil || file.isUnchanged { permit.worked() }
                // Only ranges of this length are known to work.
                if case .exactly(let asked) = range.asked { client.rangeCap.lower(to: asked.length) }
                return FirstResponse(
                    response: response, permit: permit, resource: resource(file, in: response),
                    setupTime: setupTime, body: file.body, isUnchanged: file.isUnchanged,
                    isRanged: range.asked != .none, early: early)
            case .retry(let next):
                response.transfer.abandon()
                asksAgain(response, withRange: next != .none)
                range.ask(next)
            case .retryWithoutRange:
                response.transfer.abandon()
                asksAgain(response, withRange: false)
                options.hasCondition = false
                // Some servers refuse `Accept-Encoding: identity`, with these statuses (RFC 9110, sections
                // 12.5.3 and 15.5.16) or with others.
                if (400..<500).contains(response.head.status), response.head.status != 416 {
                    options.namesCoding = false
                }
                range.beginTrial(after: response.verdict)
            case .retryWithoutCondition:
                response.transfer.abandon()
                asksAgain(response, withRange: true)
                options.hasCondition = false
            case .failed(let failure):
                response.transfer.abandon()
                throw response.told(failure)
            }
        }
    }

    private func asksAgain(_ response: Response, withRange: Bool) {
        client.logger.tell(
            .asksAgain(status: response.head.status, of: response.source, withRange: withRange))
    }

    private func resource(_ file: FirstRequestOutcome.File, in response: Response) -> ResourceInfo {
        let links =
            readsLinks
            ? LinkedSources(redirects: response.redirects, last: (response.head, response.source)) : nil
        var resource = file.resource(
            response.head, from: response.source, of: client.source, validators: response.validators,
            hasProvenEnd: response.hasProvenEnd)
        resource.digest =
            readsDigest && !response.isDecoded
            ? resource.digest ?? links?.digest ?? ofHub(response, length: file.length)
            : nil
        if !readsDigest || response.isDecoded { resource.composite = nil }
        resource.linked = links?.sources ?? []
        resource.descriptions = links?.descriptions ?? []
        return resource
    }

    private func ofHub(_ response: Response, length: Int64?) -> ServerDigest? {
        let digest = ServerDigest.ofHub(
            redirects: response.redirects.lazy.map(\.head), last: response.head)
        return length == nil && digest?.checksum.algorithm.includesLength ?? false ? nil : digest
    }
}

extension Probe.FirstRequestOutcome.File {
    /// Returns the facts in a response's head.
    ///
    /// - Parameters:
    ///   - place: The source that sent the response, after redirects.
    ///   - source: The source that was requested.
    ///   - hasProvenEnd: False if only closing the connection ends the body.
    func resource(
        _ head: ResponseHead, from place: Source, of source: Source, validators: Validators,
        hasProvenEnd: Bool
    ) -> ResourceInfo {
        let isWhole = body == 0..<(length ?? Int64.max)
        var digest = ServerDigest.strongest(in: head, bodyIsWhole: isWhole)
        if !isWhole { digest?.part = body }
        return ResourceInfo(
            length: length, acceptsRanges: acceptsRanges, validators: validators, digest: digest,
            composite: CompositeDigest(head, length: length),
            fileName: head["content-disposition"].flatMap(ContentDisposition.fileName)
                .flatMap { Self.name($0, of: source) },
            finalName: Self.name(place.lastPathComponent, of: source),
            // The Content-Type of a 416 response is that of the error page.
            contentType: head.status == 416 ? nil : head["content-type"],
            isEndProven: isWhole ? hasProvenEnd : true)
    }

    /// Returns a sanitized version of a name chosen by a server; a name that the caller also chose is kept
    /// unchanged.
    private static func name(_ received: String, of source: Source) -> String? {
        received == source.lastPathComponent ? source.fileName : SafeFileName.make(received)
    }
}

extension Probe {
    /// The range of a download's first request.
    struct FirstRange: Equatable, Sendable {
        var asked: TransferRequest.Range
        let asksForAll: Bool
        /// The reason why a range is temporarily omitted.
        enum Trial: Equatable, Sendable {
            /// The server reported an error: some fail only for ranges, for example of empty files.
            case afterFailure
            /// The server refused the range, or sent an empty body or a page: some do so for every range, or
            /// every open-ended one.
            case afterRefusal
            /// The connection was lost repeatedly, or the server was busy: on some servers, every range
            /// causes this.
            case afterLosses
        }
        private(set) var trial: Trial?
        /// The offset in bytes at which the request begins.
        private(set) var start: Int64
        /// The number of consecutive unsuccessful requests for the file.
        private var attempts = 0
        /// True once a range was requested again, because the server responds to requests without one.
        private(set) var hasReturned = false
        /// True once a range has been omitted.
        private(set) var hasTried = false
        /// True if the range may still be the cause of a failure.
        private(set) var mayTry: Bool
        /// The number of requests without a range so far, which count as retries.
        private(set) var trials = 0

        /// - Parameters:
        ///   - asksForAll: True to request no ranges, because those of a decoded body would refer to the
        ///     encoded bytes.
        ///   - mayTry: False if no request may be repeated.
        init(from offset: Int64, asksForAll: Bool = false, mayTry: Bool = true) {
            self.asksForAll = asksForAll
            start = offset
            asked = asksForAll ? .none : .from(offset)
            self.mayTry = mayTry
        }

        /// The number of attempts after which a range is omitted.
        private static let attemptsWithRange = 2

        /// Begins an attempt, which ends a trial without a range.
        mutating func begin() {
            if trial != nil { (asked, trial) = (.from(start), nil) }
            attempts += 1
            if attempts > Self.attemptsWithRange, asked == .from(start) {
                (asked, trial) = (.none, .afterLosses)
            }
        }

        /// True if a response without the range is as good. For later bytes, one with the whole file would be
        /// of less use than a late one.
        var mayOmit: Bool { asked == .from(0) }

        /// Omits the range for good, because a server that does not respond to it may send the file without.
        mutating func omit() {
            (asked, mayTry, hasTried, trial) = (.none, false, true, .afterRefusal)
        }

        /// Changes the range to request after a response.
        mutating func ask(_ next: TransferRequest.Range) {
            if trial == .afterLosses { hasReturned = true }
            if case .from(let offset) = next { start = offset }
            asked = next
        }

        /// True to request a range again, in case the server supports ranges.
        var mayReturn: Bool { trial == .afterFailure || trial == .afterLosses && !hasReturned }

        /// Omits the range once.
        mutating func beginTrial(after verdict: ResponseVerdict) {
            (asked, mayTry, hasTried) = (.none, false, true)
            trial = verdict.isFailing ? .afterFailure : .afterRefusal
            if verdict.isFailing { trials += 1 }
        }
    }

    /// The interpretation of a response to a download's first request.
    enum FirstRequestOutcome: Sendable {
        /// The facts about the file in the response's head.
        struct File: Equatable, Sendable {
            /// The length in bytes; `nil` if only the end of the stream shows it.
            var length: Int64?
            /// True if the response is the requested range.
            var acceptsRanges = false
            /// The range of the file in the body; `nil` if there is no body to receive.
            var body: ByteRange?
            /// True if the server answered that the copy is unchanged: nothing has to be fetched.
            var isUnchanged = false
        }

        case found(File)
        /// The request must be sent again, with this range.
        case retry(TransferRequest.Range)
        /// The request must be sent once without a range, which may have caused the response.
        case retryWithoutRange
        /// The request must be sent again without its condition, which the server has refused.
        case retryWithoutCondition
        case failed(TransferFailure)

        /// - Parameters:
        ///   - copy: True if the response describes the copy that the request is about; `nil` if there is no
        ///     copy.
        ///   - hasCondition: False if the request has no condition.
        ///   - claimsRanges: True if the head has `Accept-Ranges: bytes`.
        ///   - arrived: The length in bytes of a body that was received with the head.
        ///   - isPage: True if the server sent a web page instead of a file of another kind.
        ///   - mayBeEmpty: Returns true if a fact other than the length shows that the file is empty.
        init(
            _ verdict: ResponseVerdict, asked first: FirstRange, copy: Bool? = nil, hasCondition: Bool = true,
            claimsRanges: Bool = false, arrived: Int64? = nil, isPage: Bool = false,
            mayBeEmpty: @autoclosure () -> Bool = false
        ) {
            let range = first.asked
            let isConditional = copy != nil && hasCondition
            // Some servers ignore the condition of a request, always or together with a range.
            if copy == true {
                self = .found(File(isUnchanged: true))
                return
            }
            switch verdict {
            // The failure of a range request was temporary. Request a range again, because without ranges a
            // large file would get only one connection.
            case .whole where first.mayReturn && (claimsRanges || first.start > 0) && arrived == nil:
                self = .retry(.from(first.start))
            case .failing(let status) where status >= 500 && range == .from(0) && first.mayTry:
                self = .retryWithoutRange
            case .range(let body, let total):
                self = Self.found(body, total, asked: range)
            // Some servers send an empty body, or an error page, for every request with a range.
            case .whole(let stated)
            where range != .none && (isPage || (stated ?? arrived) == 0 && !mayBeEmpty()):
                self = .retryWithoutRange
            // Ranges are bounded after all others have been refused: this may be one without a Content-Range.
            case .whole(nil) where range.boundedLength.map { arrived ?? .max >= $0 } ?? false:
                self = .failed(.wrongRange("200 and possibly only a part"))
            case .whole(let stated):
                let length = stated ?? arrived
                self = .found(File(length: length, body: 0..<(length ?? Int64.max)))
            // If-None-Match alone must not cause a 412 (RFC 9110, section 13.2.2), but some servers send
            // unquoted tags and compare only quoted ones.
            case .refused(400) where isConditional, .refused(412) where isConditional:
                self = .retryWithoutCondition
            case .unchanged where isConditional:
                self = .found(File(isUnchanged: true))
            // No condition was sent: some caches respond to ranges in this way.
            case .unchanged where range != .none && !first.hasTried:
                self = .retryWithoutRange
            case .unsatisfiable(total: 0?) where range == .from(0):
                self = mayBeEmpty() ? .found(File(length: 0, acceptsRanges: true)) : .retryWithoutRange
            case .unsatisfiable, .wrongRange:
                self = Self.withoutRange(verdict, asked: range)
            // Some caches encode only the answers to ranges.
            case .encoded where range != .none:
                self = .retryWithoutRange
            case .refused(let status) where RangeRefusal.isPossible(status),
                .gone(let status, _) where RangeRefusal.isPossible(status):
                self = Self.refused(verdict, status: status, first)
            default:
                self = .failed(TransferFailure(verdict) ?? .wrongRange("a response without a range"))
            }
        }

        /// Some servers state the end of each part as the total: a shorter part shows that.
        private static func found(
            _ body: ByteRange, _ total: Int64, asked range: TransferRequest.Range
        ) -> FirstRequestOutcome {
            guard let length = range.boundedLength, total == length else {
                return .found(File(length: total, acceptsRanges: true, body: body))
            }
            return RangeRefusal.lengths.first { $0 < length }.map { .retry(.exactly(0..<$0)) }
                ?? .failed(.wrongRange("a total that is the end of the part"))
        }

        private static func refused(
            _ verdict: ResponseVerdict, status: Int, _ first: FirstRange
        ) -> FirstRequestOutcome {
            switch first.asked {
            case .from where !first.hasTried:
                return .retryWithoutRange
            // 403 usually means that the caller may not read the file.
            case .none where !first.asksForAll && status >= 400 && status != 403:
                return .retry(.exactly(0..<RangeRefusal.lengths[0]))
            case .none, .from, .exactly:
                return .failed(TransferFailure(verdict) ?? .refused(status: .init(status)))
            }
        }

        private static func withoutRange(
            _ verdict: ResponseVerdict, asked range: TransferRequest.Range
        ) -> FirstRequestOutcome {
            switch range {
            // Some servers send wrong ranges, but the correct file if no range is requested.
            case .from(0): .retry(.none)
            // The file is shorter than the bytes on disk.
            case .from, .exactly: .retry(.from(0))
            case .none: .failed(TransferFailure(verdict) ?? .wrongRange("a response without a range"))
            }
        }
    }
}

extension TransferRequest.Range {
    /// The length in bytes of a range with an end; `nil` for any other.
    fileprivate var boundedLength: Int64? {
        if case .exactly(let range) = self { range.length } else { nil }
    }
}
