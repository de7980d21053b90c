/// A list of files and the digests that they must have, in the formats of `sha256sum` and similar tools.
public struct ChecksumList: Sendable, Hashable {
    /// One file of the list.
    public struct Entry: Sendable, Hashable {
        /// The file's name in the list, relative to the list.
        public var name: String
        /// The digest that it must have.
        public var checksum: Checksum

        /// Creates an entry from its parts.
        public init(name: String, checksum: Checksum) {
            self.name = name
            self.checksum = checksum
        }
    }

    /// The files, in the list's order.
    public var entries: [Entry]

    /// The numbers of lines, from 1, that are neither entries nor comments.
    public var unreadableLines: [Int]

    /// Parses a list: lines of `DIGEST NAME` or `DIGEST *NAME` (GNU), or `SHA256 (NAME) = DIGEST` (BSD).
    /// Empty lines, lines that begin with `#` or `;`, and the lines that an OpenPGP signature adds around a
    /// list are ignored. The algorithm of a GNU line follows from the digest's length.
    public init(_ text: some StringProtocol) {
        entries = []
        unreadableLines = []
        var parser = LineParser()
        // Work on bytes, because a space and a following combining mark form a different `Character`.
        let bytes = Array(text.utf8)
        let lines = (bytes.starts(with: ByteOrderMark.utf8) ? bytes[3...] : bytes[...]).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            switch parser.take(line.last == UInt8(ascii: "\r") ? line.dropLast() : line) {
            case .entry(let entry): entries.append(entry)
            case .strange: unreadableLines.append(index + 1)
            case .nothing: break
            }
        }
    }

    /// Reads a list line by line.
    package struct LineParser: Sendable {
        /// The meaning of a line.
        package enum Meaning: Equatable, Sendable {
            case entry(Entry)
            /// An empty line, a comment, or a line that a signature adds.
            case nothing
            case strange
        }

        private var isSigned = false
        private var isInside = true
        private var hasEntries = false

        package init() {}

        /// - Parameter line: The next line, without the line ending.
        package mutating func take(_ line: ArraySlice<UInt8>) -> Meaning {
            if line.starts(with: "-----BEGIN PGP SIGNED MESSAGE-----".utf8) {
                (isSigned, isInside) = (true, false)
            } else if isSigned, line.starts(with: "-----BEGIN PGP SIGNATURE-----".utf8) {
                isInside = false
            } else if line.allSatisfy({ $0.isBlank }) {
                // The first empty line ends the header of a signed message; its signature comes last.
                isInside = isInside || !hasEntries
            } else if isInside, line.first != UInt8(ascii: "#"), line.first != UInt8(ascii: ";") {
                guard let entry = ChecksumList.gnu(line) ?? ChecksumList.bsd(line) else { return .strange }
                hasEntries = true
                return .entry(entry)
            }
            return .nothing
        }
    }

    fileprivate typealias Bytes = ArraySlice<UInt8>

    /// The maximum length of an algorithm's name with blanks.
    private static let maximumLabelBytes = 64

    fileprivate static func gnu(_ line: Bytes) -> Entry? {
        let (body, isEscaped) = withoutMark(line)
        guard let blank = body.firstIndex(where: { $0.isBlank }) else { return nil }
        var name = body[(blank + 1)...]
        // The second column distinguishes text from binary; some tools omit it.
        if body[blank] == 0x20, name.first == 0x20 || name.first == UInt8(ascii: "*") { name.removeFirst() }
        return make(digest: body[..<blank], name: name, isEscaped: isEscaped)
    }

    fileprivate static func bsd(_ line: Bytes) -> Entry? {
        let (body, isEscaped) = withoutMark(line)
        guard let open = body.firstIndex(of: UInt8(ascii: "(")),
            open - body.startIndex <= maximumLabelBytes,
            let close = body.lastIndex(of: UInt8(ascii: ")")), open < close
        else { return nil }
        var algorithm = String(decoding: body[..<open].filter { !$0.isBlank }, as: UTF8.self).lowercased()
        // OpenSSL writes "SHA2-256(NAME)= DIGEST".
        if algorithm.hasPrefix("sha2-") { algorithm = "sha" + algorithm.dropFirst(5) }
        let rest = body[(close + 1)...].drop { $0.isBlank }
        guard rest.first == UInt8(ascii: "=") else { return nil }
        let entry = make(
            digest: rest.dropFirst().drop { $0.isBlank }, name: body[(open + 1)..<close],
            isEscaped: isEscaped)
        return entry?.checksum.algorithm.rawValue == algorithm ? entry : nil
    }

    /// Removes a leading backslash, which means that the name contains escapes.
    private static func withoutMark(_ line: Bytes) -> (Bytes, isEscaped: Bool) {
        line.first == backslash ? (line.dropFirst(), true) : (line, false)
    }

    private static func make(digest: Bytes, name: Bytes, isEscaped: Bool) -> Entry? {
        let algorithm = Checksum.Algorithm.hashes.first { $0.length * 2 == digest.count }
        guard let algorithm, let checksum = try? Checksum(algorithm, String(decoding: digest, as: UTF8.self)),
            let name = isEscaped ? unescaped(name) : Array(name), !name.isEmpty, !name.contains(0)
        else { return nil }
        return Entry(name: String(decoding: name, as: UTF8.self), checksum: checksum)
    }

    private static func unescaped(_ name: Bytes) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = name
        while let byte = rest.popFirst() {
            guard byte == backslash else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case backslash: result.append(backslash)
            case UInt8(ascii: "n"): result.append(0x0a)
            case UInt8(ascii: "r"): result.append(0x0d)
            default: return nil
            }
        }
        return result
    }

    fileprivate static let backslash = UInt8(ascii: "\\")
}

extension ChecksumList.Entry: CustomStringConvertible {
    /// The line in the format of `sha256sum`.
    public var description: String {
        guard name.utf8.contains(where: { "\\\n\r".utf8.contains($0) }) else {
            return checksum.hexadecimal + "  " + name
        }
        var escaped = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\\": escaped += "\\\\"
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return "\\" + checksum.hexadecimal + "  " + escaped
    }
}
