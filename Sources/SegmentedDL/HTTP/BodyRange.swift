/// The range of the file in a successful response's body, determined before any byte of it is used.
///
/// A body is the whole file only if nothing contradicts it: neither a Content-Range, which some stores send
/// with status 200, nor the requested offset, nor an earlier response's description of the same version. A
/// body that begins at an offset other than the requested one, or at an unknown one, is never used.
/// `docs/faults.md` lists the cases in a table.
enum BodyRange: Equatable, Sendable {
    /// The requested range, or its beginning.
    case part(ByteRange, total: Int64)
    /// The whole file; `nil` if the server does not state its length.
    case whole(length: Int64?)
    /// Not known to be the requested bytes. The text is the reason, and completes "answered with …".
    case contradictory(String)
    /// The head does not determine the end of the body.
    case malformed(String)

    /// - Parameters:
    ///   - head: A head with a status whose body is a file, such as 200 and 206.
    ///   - asked: The range in the request.
    ///   - known: The file as an earlier response described it; `nil` if unknown.
    init(_ head: ResponseHead, asked: TransferRequest.Range, known: KnownFile? = nil) {
        guard !head.foldsBody else {
            self = .malformed("a field about the body that continues in the next line")
            return
        }
        let isPartial = head.status == 206
        var range = isPartial ? Self.partial(head, asked) : Self.full(head, asked, known)
        // RFC 9110, section 8.8.3: a strong entity tag identifies one sequence of bytes. Without an offset
        // the response is complete in itself, and the earlier one was wrong.
        if case .from(1...) = asked, let known, let total = range.total,
            known.contradicts(total: total, Validators(head))
        {
            range = .contradictory("a length of \(total) bytes, after \(known.total) with the same ETag")
        }
        self = range
    }

    /// The length of the file in bytes, if stated.
    private var total: Int64? {
        switch self {
        case .part(_, let total): total
        case .whole(let length): length
        case .contradictory, .malformed: nil
        }
    }

    // MARK: 206

    private static func partial(_ head: ResponseHead, _ asked: TransferRequest.Range) -> BodyRange {
        let texts = Set(head.values("content-range"))
        guard texts.count <= 1 else { return .contradictory("several Content-Ranges") }
        let isMultipart = isMultipart(head)
        // Some servers answer each request with 206.
        if asked == .none, !isMultipart { return unasked(head, texts) }
        guard let text = texts.first else {
            return .contradictory(isMultipart ? "a multipart response" : "no Content-Range")
        }
        guard case .range(let range, let total)? = ContentRange(text) else {
            return .contradictory("the Content-Range '\(text)'")
        }
        guard let total else { return .contradictory(withoutTotal) }
        return part(range, total, head, asked)
    }

    private static let withoutTotal = "a Content-Range without a total"
    private static let contradictoryLength = "a Content-Length that contradicts its Content-Range"

    private static func bytes(_ range: ByteRange) -> BodyRange {
        .contradictory("bytes \(range.lowerBound) to \(range.upperBound - 1)")
    }

    /// The body of a response to a request without a range is the whole file, unless a Content-Range shows
    /// that it is a part. It has as many bytes as the message has: some servers compute that field wrongly.
    private static func unasked(_ head: ResponseHead, _ texts: Set<String>) -> BodyRange {
        let isPartial = head.status == 206
        var least: Int64?
        for text in texts {
            switch ContentRange(text) {
            case .range(let range, let total):
                guard range.lowerBound == 0, range.upperBound == total ?? range.upperBound else {
                    return bytes(range)
                }
                if total == nil, isPartial { return .contradictory(withoutTotal) }
                least = max(least ?? 0, range.upperBound)
            case .unsatisfied, nil:
                guard !isPartial || ContentRange.isOfWhole(text) else {
                    return .contradictory("the Content-Range '\(text)'")
                }
            }
        }
        switch StatedLength(head) {
        case .unclear(let what): return isPartial ? .contradictory(what) : .malformed(what)
        case .none: return .whole(length: least)
        case .bytes(let length):
            return length < least ?? 0 ? .contradictory(contradictoryLength) : .whole(length: length)
        }
    }

    private static func part(
        _ range: ByteRange, _ total: Int64, _ head: ResponseHead, _ asked: TransferRequest.Range
    ) -> BodyRange {
        let begins =
            switch asked {
            case .none: false  // See `unasked`.
            // The server chooses the end of an open range: some servers limit the size of a response.
            case .from(let offset): range.lowerBound == offset
            // It may also send fewer bytes than requested (RFC 9110, section 15.3.7), but not more.
            case .exactly(let wanted):
                range.lowerBound == wanted.lowerBound && range.upperBound <= wanted.upperBound
            }
        guard begins else { return bytes(range) }
        switch StatedLength(head) {
        case .unclear(let what):
            return .contradictory(what)
        case .bytes(let length) where length != range.length:
            return .contradictory(contradictoryLength)
        case .none, .bytes:
            return .part(range, total: total)
        }
    }

    /// True if the body has parts with heads of their own (RFC 9110, section 14.6), which no request of this
    /// program asks for.
    private static func isMultipart(_ head: ResponseHead) -> Bool {
        let type = head["content-type"]?.lowercased() ?? ""
        return type.hasPrefix("multipart/byteranges") || type.hasPrefix("multipart/x-byteranges")
    }

    // MARK: 200

    private static func full(
        _ head: ResponseHead, _ asked: TransferRequest.Range, _ known: KnownFile?
    ) -> BodyRange {
        if asked != .none, isMultipart(head) { return .contradictory("a multipart response") }
        let stated: Int64?
        switch StatedLength(head) {
        case .none: stated = nil
        case .bytes(let length): stated = length
        case .unclear(let what): return .malformed(what)
        }
        let texts = Set(head.values("content-range"))
        guard texts.isEmpty else {
            return asked == .none ? unasked(head, texts) : ranged(head, texts, stated, asked)
        }
        switch asked {
        case .none, .from(0):
            return .whole(length: stated)
        case .from:
            // Some servers send only the rest of the file with status 200, which its length distinguishes
            // from the whole file.
            let isWhole = stated != nil && stated == known?.total
            return isWhole
                ? .whole(length: stated) : .contradictory("200 and possibly only the remaining bytes")
        case .exactly(let wanted):
            let isWhole = stated != nil && stated == known?.total
            let mayBePart = stated.map { $0 < wanted.upperBound || $0 == wanted.length } ?? false
            return mayBePart && !isWhole
                ? .contradictory("200 and possibly only a part") : .whole(length: stated)
        }
    }

    /// Some stores honour a range but send status 200 with a Content-Range.
    private static func ranged(
        _ head: ResponseHead, _ texts: Set<String>, _ stated: Int64?, _ asked: TransferRequest.Range
    ) -> BodyRange {
        guard texts.count == 1, let text = texts.first,
            case .range(let range, let total?)? = ContentRange(text)
        else { return .contradictory("200 with an ambiguous Content-Range") }
        if range == 0..<total, asked != .from(0) {
            return stated ?? total == total ? .whole(length: total) : .contradictory(contradictoryLength)
        }
        return part(range, total, head, asked)
    }
}

/// A remote file as an earlier response described it.
struct KnownFile: Equatable, Sendable {
    /// The file's length in bytes.
    var total: Int64
    var validators: Validators

    /// Returns true if a response states a different length for the same version: one of the two must be
    /// wrong.
    func contradicts(total: Int64, _ later: Validators) -> Bool {
        total != self.total && validators.hasStrongETag && validators.etag == later.etag
    }
}

/// The length of a body according to its Content-Length.
private enum StatedLength {
    case none
    case bytes(Int64)
    case unclear(String)

    init(_ head: ResponseHead) {
        // A transfer coding overrides any length (RFC 9112, section 6.3).
        let values =
            head.transferCodings.isEmpty
            ? Set(head.values("content-length").flatMap(Self.list)) : []
        if values.count > 1 {
            self = .unclear("several Content-Lengths")
        } else if let value = values.first {
            self = Self.number(value).map { .bytes($0) } ?? .unclear("the Content-Length '\(value)'")
        } else {
            self = .none
        }
    }

    /// libcurl stops parsing after the digits. Some servers append a unit, a semicolon or a zero fraction.
    private static func number(_ value: String) -> Int64? {
        let digits = value.prefix { $0.isASCII && $0.isNumber }
        let rest = value.dropFirst(digits.count)
        guard
            rest.isEmpty || rest.hasPrefix(";") || rest.hasPrefix(" ")
                || rest.allSatisfy({ ".0".contains($0) })
        else { return nil }
        return ContentRange.number(digits)
    }

    /// Proxies join repeated fields with commas.
    private static func list(_ value: String) -> [String] {
        value.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
            String(Substring($0).trimmingBlanks())
        }
    }
}
