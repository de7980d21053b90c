#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A mirror's item as the database keeps it until the file is there.
struct StoredItem: Codable {
    private struct Pieces: Codable {
        var algorithm: String
        var length: Int64
        var digests: Data
    }

    private var urls: [String]
    private var size: Int64?
    private var digests: [Checksum]?
    private var etag: String?
    private var modified: Int64?
    private var headers: [[String]]?
    private var pieces: Pieces?

    init(_ item: MirrorItem) {
        urls = item.sources.map(\.urlWithCredentials)
        size = item.size
        digests = item.checksums.isEmpty ? nil : item.checksums
        etag = item.etag
        modified = item.modified
        headers = item.headers.isEmpty ? nil : item.headers.map { [$0.name, $0.value] }
        pieces = item.pieces.map {
            Pieces(algorithm: $0.algorithm.rawValue, length: $0.length, digests: Data($0.digests))
        }
    }

    /// - Throws: `DownloadError` if what it says cannot be.
    func item(at path: RelativePath) throws(DownloadError) -> MirrorItem {
        var sources: [Source] = []
        for url in urls { sources.append(try Source(url)) }
        var item = MirrorItem(sources, path: path, size: size)
        item.checksums = digests ?? []
        item.etag = etag
        item.modified = modified
        item.headers = (headers ?? []).compactMap { $0.count == 2 ? HTTPHeader($0[0], $0[1]) : nil }
        if let pieces, let algorithm = Checksum.Algorithm(rawValue: pieces.algorithm) {
            item.pieces = PieceHashes(algorithm, length: pieces.length, digests: Array(pieces.digests))
        }
        return item
    }
}

extension Source {
    /// The URL with what it was taken apart from: for files that only their owner can read.
    fileprivate var urlWithCredentials: String {
        guard let credentials else { return url }
        let user = PercentEncoding.query(credentials.user)
        let password = PercentEncoding.query(credentials.password)
        let scheme = "\(origin.scheme)://"
        return scheme + "\(user):\(password)@" + url.dropFirst(scheme.count)
    }
}
