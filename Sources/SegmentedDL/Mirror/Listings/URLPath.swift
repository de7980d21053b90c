/// The path of a URL in components, percent-decoded: two spellings of one path are equal.
struct URLPath: Equatable, Sendable {
    /// The components as bytes; the last one is empty for a directory.
    let components: [[UInt8]]

    init(of source: Source) {
        let rest = source.url.utf8.dropFirst(source.origin.scheme.utf8.count + "://".utf8.count)
        let path = rest.drop { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            .prefix { $0 != UInt8(ascii: "?") }
        components = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { URLParser.decodedBytes(Substring($0)) }
    }

    /// The components of the directory that it is, or lies in.
    var directory: ArraySlice<[UInt8]> { components.dropLast() }

    var isDirectory: Bool { components.last?.isEmpty ?? true }
}

extension Source {
    /// Whether the URL has a query.
    var hasQuery: Bool { url.utf8.contains(UInt8(ascii: "?")) }

    /// The same URL with another's credentials, if they are for the same server.
    func with(credentialsOf other: Source) -> Source {
        guard credentials == nil, origin == other.origin else { return self }
        return Source(
            url: url, origin: origin, lastPathComponent: lastPathComponent, credentials: other.credentials)
    }

    /// The source below this directory that a relative path names.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func appending(_ path: RelativePath) throws(DownloadError) -> Source {
        // The leading dot keeps a colon in the first component from ending a scheme.
        let source = try URLParser.parse("./" + PercentEncoding.path(path.text), relativeTo: self)
        return Source(
            url: source.url, origin: source.origin, lastPathComponent: source.lastPathComponent,
            credentials: credentials)
    }
}

extension String {
    /// A URL up to its query.
    var withoutQuery: Substring {
        self[..<(utf8.firstIndex(of: UInt8(ascii: "?")) ?? endIndex)]
    }
}

/// Percent-encoding (RFC 3986, section 2.1) of bytes that are no unreserved characters.
enum PercentEncoding {
    /// Encodes all but unreserved characters and slashes.
    static func path(_ text: some StringProtocol) -> String { path(bytes: text.utf8) }

    /// Encodes all but unreserved characters, as the value of a query needs it.
    static func query(_ text: some StringProtocol) -> String { query(bytes: text.utf8) }

    /// The same of text that may not be UTF-8.
    static func path(bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: true) }

    /// The same of text that may not be UTF-8.
    static func query(bytes: some Sequence<UInt8>) -> String { encode(bytes, keepsSlashes: false) }

    private static func encode(_ text: some Sequence<UInt8>, keepsSlashes: Bool) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var bytes: [UInt8] = []
        for byte in text {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                bytes.append(byte)
            case UInt8(ascii: "/") where keepsSlashes:
                bytes.append(byte)
            default:
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
