/// Parses response heads from the bytes of an HTTP/1.1 connection as they arrive.
struct HeadReader: Sendable {
    /// The maximum size of a head, in bytes. Longer heads are refused.
    private static let maximumHeadBytes = 64 * 1024

    enum Next {
        /// More bytes are needed.
        case incomplete
        case head(ResponseHead)
        /// The bytes are not a head.
        case malformed
    }

    /// True to refuse a head with a line that is not a field, because libcurl may interpret it differently.
    private let isStrict: Bool
    private var bytes: [UInt8] = []
    /// The number of bytes already read.
    private var taken = 0

    init(isStrict: Bool = false) {
        self.isStrict = isStrict
    }

    /// True if all bytes have been read.
    var isEmpty: Bool { taken == bytes.count }

    mutating func append(_ new: UnsafeRawBufferPointer) {
        if taken > 0 {
            bytes.removeFirst(taken)
            taken = 0
        }
        bytes += new
    }

    /// Reads one head, if it has arrived completely.
    mutating func next() -> Next {
        let (head, end) = bytes.withUnsafeBytes { read(UnsafeRawBufferPointer(rebasing: $0[taken...])) }
        switch head {
        case .incomplete where bytes.count - taken > Self.maximumHeadBytes: return .malformed
        case .incomplete, .malformed: return head
        case .head:
            taken += end
            return head
        }
    }

    /// Reads bytes of a body, at most `count`.
    mutating func body(upTo count: Int) -> ArraySlice<UInt8> {
        let end = min(bytes.count, taken + count)
        defer { taken = end }
        return bytes[taken..<end]
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> (Next, end: Int) {
        var head: ResponseHead?
        var line = 0
        while let end = bytes[line...].firstIndex(of: 0x0a) {
            let last = end > line && bytes[end - 1] == 0x0d ? end - 1 : end
            let text = UnsafeRawBufferPointer(rebasing: bytes[line..<last])
            line = end + 1
            if text.isEmpty { return (head.map { .head($0) } ?? .malformed, line) }
            if head != nil, isStrict {
                if head?.appendField(of: text) == false { return (.malformed, line) }
            } else if head != nil {
                head?.append(line: text)
            } else if text.starts(with: "HTTP/1.1 ".utf8), let first = ResponseHead(statusLine: text) {
                head = first
            } else {
                return (.malformed, line)
            }
        }
        return (.incomplete, 0)
    }
}

extension ResponseHead {
    /// True if the server closes the connection after this response.
    var closesConnection: Bool {
        // Most servers send exactly this value, which needs no parsing.
        guard let options = self["connection"], options != "keep-alive" else { return false }
        return options.lowercased().split(separator: ",").contains { $0.trimmingBlanks() == "close" }
    }
}
