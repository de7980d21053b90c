/// The interpretation of a response's head, before any byte of the body is used.
enum ResponseVerdict: Equatable, Sendable {
    /// A part that begins at the requested offset: 206, or 200 with a matching Content-Range.
    case range(ByteRange, total: Int64)
    /// 200 or 203: the whole file, its length in bytes if the server knows it.
    case whole(length: Int64?)
    /// 300, 301, 302, 303, 307 or 308 with a Location.
    case redirect(String)
    /// 304: the copy in the request's condition is unchanged.
    case unchanged
    /// 416, with the current length if it is stated.
    case unsatisfiable(total: Int64?)
    /// 429, 503, or 403 with Retry-After or an exhausted quota (`RequestQuota`): the host is at its limit;
    /// with the seconds to wait if the server sends them.
    case busy(status: Int, retryAfter: Double?)
    /// 429 or 503 repeatedly, while the host serves other files.
    case busyForFile(status: Int, retryAfter: Double?)
    /// 401, 403, 404 or 410, which after a redirect may mean that a signed URL has expired.
    case gone(status: Int, wants: AuthenticationSchemes = AuthenticationSchemes())
    /// 400, 401, 403 or 410 for a signed URL that has expired, at this time in seconds since 1970; `nil` if
    /// only the body says so.
    case expired(status: Int, at: Int64?)
    /// 408, 421, 425, or 5xx other than 503.
    case failing(status: Int)
    /// Any other status.
    case refused(status: Int)
    /// A store refused a signature or the signed request.
    case signatureRefused(SignatureRefusal)
    /// A range that is missing, malformed or not the requested one, or contradicts known facts.
    case wrongRange(String)
    /// The head does not determine the end of the body.
    case malformed(String)
    /// The content is encoded although the request did not ask for it, or in a coding that libcurl does not
    /// decode.
    case encoded(String)

    /// - Parameters:
    ///   - known: The file as an earlier response described it; `nil` if unknown.
    ///   - now: Seconds since 1970, for a Retry-After with a date in a head without a Date.
    ///   - region: The region that the request was signed for; `nil` for a request without a signature.
    ///   - names: The known names of the file: of the requested path, and of those that redirected to it.
    ///   - ifEncoded: The action for encoded content.
    init(
        _ head: ResponseHead, asked: TransferRequest.Range, known: KnownFile? = nil, now: Int64,
        signedFor region: String? = nil, names: [String] = [], ifEncoded: EncodedContentPolicy = .fail
    ) {
        if let region, let refusal = SignatureRefusal(head, region: region, now: now) {
            self = .signatureRefused(refusal)
            return
        }
        switch head.status {
        // 203 is a 200 that a proxy has transformed (RFC 9110, section 15.3.4), 226 one with a change applied
        // (RFC 3229), and an unknown one counts as 200 (section 15).
        case 200, 203, 206, 209...299:
            let plain = ResponseVerdict(BodyRange(head, asked: asked, known: known))
            switch ifEncoded {
            case .store: self = plain
            case .fail: self = Self.encoding(head, names).map { .encoded($0) } ?? plain
            case .decode: self = Self.encoding(head).map { Self.decoded($0, head) } ?? plain
            }
        // A 300 with a Location states the server's choice (RFC 9110, section 15.4.1).
        case 300, 301, 302, 303, 307, 308:
            self = head["location"].map { .redirect($0) } ?? .refused(status: head.status)
        case 304:
            self = .unchanged
        case 416:
            if case .unsatisfied(let total)? = head["content-range"].flatMap({ ContentRange($0) }) {
                self = .unsatisfiable(total: total)
            } else {
                self = .unsatisfiable(total: nil)
            }
        // GitHub's API refuses requests beyond its quotas in this way.
        case 403 where RequestQuota.refuses(head, now: now), 429, 503:
            self = .busy(
                status: head.status,
                retryAfter: RetryAfter.seconds(in: head, now: now))
        // The file is still being prepared, and the body says so.
        case 202:
            self = .busyForFile(
                status: head.status, retryAfter: RetryAfter.seconds(in: head, now: now))
        case 401, 403, 404, 410:
            self = .gone(
                status: head.status, wants: head.status == 401 ? AuthenticationSchemes(head) : .init())
        // 421: another connection may lead to the right server; 425: the request came too early to be safe
        // (RFC 9110, section 15.5.20; RFC 8470, section 5.2).
        case 408, 421, 425, 500...599:
            self = .failing(status: head.status)
        default:
            self = .refused(status: head.status)
        }
    }

    /// The time for which GitHub requests a pause after a refusal whose fields state none.
    private static let unstatedLimitSeconds = 60.0

    /// Returns the verdict, corrected if the body states that the host limits requests, as GitHub's secondary
    /// limits do without a field (docs.github.com, "Rate limits for the REST API").
    ///
    /// - Parameter reason: The reason in the body; `nil` for none.
    func corrected(by reason: String?) -> ResponseVerdict {
        guard let reason = reason?.lowercased(), Self.statesRateLimit(reason) else { return self }
        let wait = reason.contains("secondary rate limit") ? Self.unstatedLimitSeconds : nil
        return switch self {
        case .gone(403, _): .busy(status: 403, retryAfter: wait)
        case .busy(let status, nil): .busy(status: status, retryAfter: wait)
        default: self
        }
    }

    /// Returns true for text in lower case about a rate limit, unlike that about a corporate limit.
    private static func statesRateLimit(_ text: String) -> Bool {
        let words = text.split { !$0.isLetter }
        return zip(words, words.dropFirst()).contains { $0 == "rate" && $1.hasPrefix("limit") }
    }

    /// True if the host is at its limit.
    var isBusy: Bool {
        switch self {
        case .busy, .busyForFile: true
        default: false
        }
    }

    /// True if the server failed.
    var isFailing: Bool { if case .failing = self { true } else { false } }

    /// Returns true if a redirect target that has sent the file before may have expired: servers report this
    /// with various statuses, with an error page, or with a login page.
    ///
    /// - Parameter range: The requested range.
    func mayMeanExpiry(of range: TransferRequest.Range) -> Bool {
        switch self {
        case .gone, .expired, .refused, .signatureRefused, .unsatisfiable, .wrongRange, .encoded, .malformed:
            true
        case .whole: range != .none
        case .range, .redirect, .unchanged, .busy, .busyForFile, .failing: false
        }
    }

    private init(_ body: BodyRange) {
        self =
            switch body {
            case .part(let range, let total): .range(range, total: total)
            case .whole(let length): .whole(length: length)
            case .contradictory(let what): .wrongRange(what)
            case .malformed(let what): .malformed(what)
            }
    }

    /// The length is that of the encoded bytes, of which a part is useless.
    private static func decoded(_ encoding: String, _ head: ResponseHead) -> ResponseVerdict {
        guard head.status != 206, encodings(head).allSatisfy(ContentCoding.isDecoded) else {
            return .encoded(encoding)
        }
        let verdict = ResponseVerdict(BodyRange(head, asked: .none))
        guard case .whole = verdict else { return verdict }
        return .whole(length: nil)
    }

    /// The values of Content-Encoding that name a coding.
    private static func encodings(_ head: ResponseHead) -> [String] {
        head.values("content-encoding").filter(ContentCoding.isCoding)
    }

    /// The first coding of the content; `nil` if it is unencoded.
    static func encoding(_ head: ResponseHead) -> String? { encodings(head).first }

    private static func encoding(_ head: ResponseHead, _ names: [String]) -> String? {
        let encodings = encodings(head)
        guard let encoding = encodings.first, encodings.contains(where: ContentCoding.isDecodedSomewhere)
        else { return nil }
        let sent = head["content-disposition"].flatMap(ContentDisposition.fileName)
        let isSaidTwice =
            (names + [sent].compactMap(\.self)).contains { ContentCoding.isOfName(encoding, $0) }
            || head["content-type"].map { ContentCoding.isOfType(encoding, $0) } ?? false
        return encodings.count == 1 && isSaidTwice ? nil : encoding
    }
}
