/// The meaning of a response's head for its request, before any byte of the body is used.
enum ResponseVerdict: Equatable, Sendable {
    /// 206 with a well-formed Content-Range that begins where the request asked.
    case range(ByteRange, total: Int64)
    /// 200: the whole file, its length in bytes if the server knows it.
    case whole(length: Int64?)
    /// 301, 302, 303, 307 or 308 with a Location.
    case redirect(String)
    /// 304: the copy that the request's condition describes has not changed.
    case unchanged
    /// 416, with the present length if it is stated.
    case unsatisfiable(total: Int64?)
    /// 429 or 503: the host's limit, and the seconds to wait if the server states them.
    case busy(status: Int, retryAfter: Double?)
    /// The same again and again, while the host answers requests for other files.
    case busyForFile(status: Int, retryAfter: Double?)
    /// 401, 403, 404 or 410, which behind a redirect may mean that a signed URL expired.
    case gone(status: Int, wants: AuthenticationSchemes = AuthenticationSchemes())
    /// 408, or 5xx other than 503.
    case failing(status: Int)
    /// Any other status.
    case refused(status: Int)
    /// A store's refusal of a signature, or of the request that it was made for.
    case signatureRefused(SignatureRefusal)
    /// 206 with a range that is missing, garbled or not the requested one.
    case wrongRange(String)
    /// The head does not tell where the body ends.
    case malformed(String)
    /// The content is encoded although that was not asked for, or in a way that libcurl does not decode.
    case encoded(String)

    /// - Parameters:
    ///   - now: Seconds since 1970, for a Retry-After that is a date.
    ///   - region: The region that the request was signed for; `nil` for a request without a signature.
    ///   - name: The last part of the path that was requested.
    ///   - ifEncoded: The action for encoded content.
    init(
        _ head: ResponseHead, asked: TransferRequest.Range, now: Int64, signedFor region: String? = nil,
        name: String = "", ifEncoded: EncodedContentPolicy = .fail
    ) {
        if let region, let refusal = SignatureRefusal(head, region: region, now: now) {
            self = .signatureRefused(refusal)
            return
        }
        switch head.status {
        case 200, 206:
            let plain = head.status == 206 ? Self.partial(head, asked: asked) : Self.whole(head)
            switch ifEncoded {
            case .store: self = plain
            case .fail: self = Self.encoding(head, name).map { .encoded($0) } ?? plain
            case .decode: self = Self.encoding(head).map { Self.decoded($0, head) } ?? plain
            }
        case 301, 302, 303, 307, 308:
            self = head["location"].map { .redirect($0) } ?? .refused(status: head.status)
        case 304:
            self = .unchanged
        case 416:
            if case .unsatisfied(let total)? = head["content-range"].flatMap({ ContentRange($0) }) {
                self = .unsatisfiable(total: total)
            } else {
                self = .unsatisfiable(total: nil)
            }
        case 429, 503:
            self = .busy(
                status: head.status,
                retryAfter: head["retry-after"].flatMap { RetryAfter.seconds($0, now: now) })
        case 401, 403, 404, 410:
            self = .gone(
                status: head.status, wants: head.status == 401 ? AuthenticationSchemes(head) : .init())
        case 408, 500...599:
            self = .failing(status: head.status)
        default:
            self = .refused(status: head.status)
        }
    }

    /// True if the server failed.
    var isFailing: Bool { if case .failing = self { true } else { false } }

    private static func whole(_ head: ResponseHead) -> ResponseVerdict {
        switch StatedLength(head) {
        case .none: return .whole(length: nil)
        case .bytes(let length): return .whole(length: length)
        case .unclear(let what): return .malformed(what)
        }
    }

    private static func partial(_ head: ResponseHead, asked: TransferRequest.Range) -> ResponseVerdict {
        let texts = Set(head.values("content-range"))
        guard texts.count <= 1 else { return .wrongRange("several Content-Ranges") }
        guard let text = texts.first else {
            let isMultipart = head["content-type"]?.lowercased().hasPrefix("multipart/") ?? false
            return .wrongRange(isMultipart ? "a multipart answer" : "no Content-Range")
        }
        guard case .range(let range, let total)? = ContentRange(text) else {
            return .wrongRange("the Content-Range '\(text)'")
        }
        guard let total else { return .wrongRange("a Content-Range without a total") }
        // The request had no range, and the answer is the whole file.
        if asked == .none, range == 0..<total { return .whole(length: total) }
        let isAsAsked =
            switch asked {
            case .none: false
            // The server chooses the end of an open range: some servers cap what one answer holds.
            case .from(let offset): range.lowerBound == offset
            case .exactly(let wanted): range == wanted
            }
        guard isAsAsked else {
            return .wrongRange("bytes \(range.lowerBound) to \(range.upperBound - 1)")
        }
        switch StatedLength(head) {
        case .unclear(let what):
            return .wrongRange(what)
        case .bytes(let length) where length != range.length:
            return .wrongRange("a Content-Length that contradicts its Content-Range")
        case .none, .bytes:
            return .range(range, total: total)
        }
    }

    /// The length is that of the encoded bytes, and a part of those is of no use.
    private static func decoded(_ encoding: String, _ head: ResponseHead) -> ResponseVerdict {
        guard head.status == 200, encodings(head).allSatisfy(ContentCoding.isDecoded) else {
            return .encoded(encoding)
        }
        guard case .whole = whole(head) else { return whole(head) }
        return .whole(length: nil)
    }

    private static func encodings(_ head: ResponseHead) -> [String] {
        head.values("content-encoding").filter { !$0.isEmpty && $0.lowercased() != "identity" }
    }

    /// The first coding of the content; `nil` if it is not encoded.
    static func encoding(_ head: ResponseHead) -> String? { encodings(head).first }

    private static func encoding(_ head: ResponseHead, _ name: String) -> String? {
        let encodings = encodings(head)
        guard let encoding = encodings.first else { return nil }
        let names = [name, head["content-disposition"].flatMap(ContentDisposition.fileName) ?? ""]
        let isOfName = encodings.count == 1 && names.contains { ContentCoding.isOfName(encoding, $0) }
        return isOfName ? nil : encoding
    }
}

/// The length of a body by its Content-Length.
private enum StatedLength {
    case none
    case bytes(Int64)
    case unclear(String)

    init(_ head: ResponseHead) {
        // A Transfer-Encoding overrides any length (RFC 9112, section 6.3).
        let values =
            head.values("transfer-encoding").isEmpty
            ? Set(head.values("content-length").flatMap(Self.list)) : []
        if values.count > 1 {
            self = .unclear("several Content-Lengths")
        } else if let value = values.first {
            self = ContentRange.number(value).map { .bytes($0) } ?? .unclear("the Content-Length '\(value)'")
        } else {
            self = .none
        }
    }

    /// Proxies join repeated fields with commas.
    private static func list(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(Substring($0).trimmingBlanks())
        }
    }
}
