/// Reads responses with short bodies from the bytes of an HTTP/1.1 connection, in order (RFC 9112). A plain
/// value.
///
/// It reads only bodies whose length is determined by Content-Length alone. All others are left to libcurl,
/// so that unusual heads are interpreted in one place.
struct ShortAnswerReader: Sendable {
    enum Answer: Equatable, Sendable {
        case complete(ResponseHead, body: [UInt8])
        /// A body that is long or framed in another way. Neither it nor anything after it is read.
        case otherwise(ResponseHead)
        /// The bytes are not a head, switch the protocol, or contain too many interim heads.
        case malformed
    }

    private static let maximumInterim = 8

    private var reader: HeadReader
    /// The head whose body is incomplete, and the bytes of the body so far.
    private var open: (head: ResponseHead, length: Int, body: [UInt8])?
    private var interim = 0

    /// - Parameter isStrict: See `HeadReader`.
    init(isStrict: Bool) {
        reader = HeadReader(isStrict: isStrict)
    }

    /// True if no byte of a further response has been received.
    var isAtEnd: Bool { open == nil && reader.isEmpty }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        reader.append(bytes)
    }

    /// Returns the next response; `nil` if more bytes are needed.
    mutating func next() -> Answer? {
        while open == nil {
            switch reader.next() {
            case .incomplete:
                return nil
            case .malformed:
                return .malformed
            case .head(let head) where head.status < 200:
                interim += 1
                guard head.status != 101, interim <= Self.maximumInterim else { return .malformed }
            case .head(let head):
                interim = 0
                guard let length = head.shortBodyLength else { return .otherwise(head) }
                open = (head, length, [])
                open?.body.reserveCapacity(length)
            }
        }
        return body()
    }

    private mutating func body() -> Answer? {
        guard var current = open else { return nil }
        // Release the other reference, or each append would copy the body.
        open = nil
        current.body += reader.body(upTo: current.length - current.body.count)
        guard current.body.count == current.length else {
            open = current
            return nil
        }
        return .complete(current.head, body: current.body)
    }
}

extension ResponseHead {
    /// The maximum size of a short body, in bytes, the same as for a body delivered with any head.
    static let longestShortBody = 64 * 1024

    /// The length of a short body; `nil` for any other body, and if the length is not determined by
    /// Content-Length alone.
    var shortBodyLength: Int? {
        if status == 204 || status == 304 { return 0 }
        let lengths = values("content-length")
        guard lengths.count == 1, values("transfer-encoding").isEmpty,
            lengths[0].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let length = Int(lengths[0]),
            length <= Self.longestShortBody
        else { return nil }
        return length
    }
}
