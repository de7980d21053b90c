public import SystemPackage

extension DownloadRequest {
    /// Creates the request that downloads a file described by a listing, a checksum list or a Metalink to its
    /// path below a directory.
    ///
    /// It has the item's sources, length, digests, media types and header fields, and creates missing
    /// directories.
    ///
    /// - Parameters:
    ///   - item: The file.
    ///   - directory: The root directory for such files.
    /// - Throws: `DownloadError` with code `invalidURL` if the item has no source, or `invalidSetting` if two
    ///   of its digests contradict each other.
    public init(_ item: MirrorItem, in directory: FilePath) throws(DownloadError) {
        self.init(item, from: try item.firstSource(), in: directory)
        for checksum in item.checksums { try checksums.add(checksum) }
    }

    /// Creates the request without digests of the whole file.
    ///
    /// - Parameter first: The first of the item's sources.
    package init(_ item: MirrorItem, from first: Source, in directory: FilePath) {
        self.init(first, to: .file(directory.appending(item.path.text)))
        mirrors = Array(item.sources.dropFirst())
        headers = item.headers
        pieces = item.pieces
        expectedTypes = item.expectedTypes
        expectedLength = item.size
        makesDirectory = true
    }
}

extension MirrorItem {
    /// - Throws: `DownloadError` with code `invalidURL` if it has no source.
    package func firstSource() throws(DownloadError) -> Source {
        guard let first = sources.first else {
            throw DownloadError(.invalidURL, "'\(path)' has no source; add at least one.")
        }
        return first
    }
}
