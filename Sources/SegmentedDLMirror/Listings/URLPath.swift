internal import SegmentedDL

/// The percent-decoded components of a URL's path. Different spellings of one path are equal.
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

    /// The components of the directory: the path itself, or its parent.
    var directory: ArraySlice<[UInt8]> { components.dropLast() }

    var isDirectory: Bool { components.last?.isEmpty ?? true }
}

extension Source {
    /// Returns this source with the credentials of another one if both are on the same server.
    func with(credentialsOf other: Source) -> Source {
        guard credentials == nil, origin == other.origin else { return self }
        return with(other.credentials)
    }

    /// Returns the source for a path relative to this directory.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    func appending(_ path: RelativePath) throws(DownloadError) -> Source {
        // The leading "./" prevents a colon in the first component from being parsed as the end of a scheme.
        try URLParser.parse("./" + PercentEncoding.path(path.text), relativeTo: self).with(credentials)
    }
}

extension String {
    /// The URL without its query.
    var withoutQuery: Substring {
        self[..<(utf8.firstIndex(of: UInt8(ascii: "?")) ?? endIndex)]
    }

    /// The URL's query without the question mark; empty if it has none.
    var query: Substring { self[withoutQuery.endIndex...].dropFirst() }
}
