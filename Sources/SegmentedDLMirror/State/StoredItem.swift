internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The format in which the database stores a mirror's item until its file is complete: a letter and a value
/// on each line.
///
/// Each run writes and reads one for each file, even for unchanged files; with JSON, this took a sixth of the
/// time for such a file.
enum StoredItem {
    private enum Field {
        static let url = UInt8(ascii: "u")
        static let size = UInt8(ascii: "s")
        static let digest = UInt8(ascii: "d")
        static let etag = UInt8(ascii: "e")
        static let modified = UInt8(ascii: "m")
        static let header = UInt8(ascii: "h")
        static let type = UInt8(ascii: "t")
        static let pieces = UInt8(ascii: "p")
        static let option = UInt8(ascii: "o")
        static let name = UInt8(ascii: "n")
        static let stored = UInt8(ascii: "w")
        static let location = UInt8(ascii: "l")
    }

    static func bytes(of item: MirrorItem) -> [UInt8] {
        var bytes: [UInt8] = []
        func add(_ field: UInt8, _ value: some Sequence<UInt8>) {
            bytes.append(field)
            bytes += value
            bytes.append(UInt8(ascii: "\n"))
        }
        if let path = item.pathAtSource { add(Field.name, escaped(path.text)) }
        if let location = item.hubLocation { add(Field.location, escaped(location.text)) }
        if item.isStoredByListing { add(Field.stored, [UInt8]()) }
        for source in item.sources { add(Field.url, source.urlWithCredentials.utf8) }
        if let size = item.size { add(Field.size, String(size).utf8) }
        for checksum in item.checksums { add(Field.digest, checksum.description.utf8) }
        if let etag = item.etag { add(Field.etag, escaped(etag)) }
        if let modified = item.modified { add(Field.modified, String(modified).utf8) }
        for header in item.headers { add(Field.header, escaped("\(header.name):\(header.value)")) }
        for type in item.expectedTypes { add(Field.type, type.utf8) }
        for (name, values) in item.options.sorted(by: { $0.key < $1.key }) {
            for value in values { add(Field.option, escaped("\(name)=\(value)")) }
        }
        if let pieces = item.pieces {
            let digests = Data(pieces.digests).base64EncodedString()
            add(Field.pieces, "\(pieces.algorithm.rawValue) \(pieces.length) \(digests)".utf8)
        }
        return bytes
    }

    /// - Throws: `DownloadError` if the values are invalid.
    static func item(at path: RelativePath, _ bytes: [UInt8]) throws(DownloadError) -> MirrorItem {
        var item = MirrorItem([], path: path)
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let value = String(decoding: line.dropFirst(), as: UTF8.self)
            switch line.first {
            case Field.url: item.sources.append(try Source(value))
            case Field.name: item.pathAtSource = try RelativePath(URLParser.decoded(value))
            case Field.location: item.hubLocation = try HubLocation(URLParser.decoded(value))
            case Field.stored: item.isStoredByListing = true
            case Field.size: item.size = Int64(value)
            case Field.digest: item.checksums.append(try Checksum(parsing: value))
            case Field.etag: item.etag = URLParser.decoded(value)
            case Field.modified: item.modified = Int64(value)
            case Field.header:
                let parts = URLParser.decoded(value).split(
                    separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { item.headers.append(HTTPHeader(String(parts[0]), String(parts[1]))) }
            case Field.option:
                let parts = URLParser.decoded(value).split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                if parts.count == 2 { item.options[String(parts[0]), default: []].append(String(parts[1])) }
            case Field.type: item.expectedTypes.append(value)
            case Field.pieces: item.pieces = pieces(value)
            default: break
            }
        }
        return item
    }

    private static func pieces(_ value: String) -> PieceHashes? {
        let parts = value.split(separator: " ")
        guard parts.count == 3, let algorithm = Checksum.Algorithm(rawValue: String(parts[0])),
            let length = Int64(parts[1]), let digests = Data(base64Encoded: String(parts[2]))
        else { return nil }
        return PieceHashes(algorithm, length: length, digests: Array(digests))
    }

    /// Escapes line breaks, which only malformed lists contain.
    private static func escaped(_ text: String) -> [UInt8] {
        text.utf8.flatMap { byte in
            switch byte {
            case UInt8(ascii: "\n"): Array("%0A".utf8)
            case UInt8(ascii: "%"): Array("%25".utf8)
            default: [byte]
            }
        }
    }
}

extension Source {
    /// The URL including its credentials: only for databases that are readable only by their owner.
    fileprivate var urlWithCredentials: String {
        guard let credentials else { return url }
        let user = PercentEncoding.query(credentials.user)
        let password = PercentEncoding.query(credentials.password)
        let scheme = "\(origin.scheme)://"
        return scheme + "\(user):\(password)@" + url.dropFirst(scheme.count)
    }
}
