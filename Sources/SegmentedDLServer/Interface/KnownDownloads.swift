internal import SegmentedDL
internal import SegmentedDLQueue

/// The downloads of the list by their URLs, so that a link that is added again is not a second download.
struct KnownDownloads {
    /// Options under which a download of the list is the same.
    private static let harmless: Set<String> = ["dir", "out", "checksum", "pause"]

    private var receipts: [String: Receipt] = [:]

    init(_ receipts: [Receipt]) {
        for receipt in receipts { note(receipt) }
    }

    mutating func note(_ receipt: Receipt) { receipts[receipt.source.identity] = receipt }

    /// Returns the download of the list that a caller means with a new one; `nil` if the new one is wanted
    /// with a place, a digest, a mirror, a password or settings of its own.
    ///
    /// - Throws: `DownloadError` with code `badPath` for a place outside of the fence.
    func find(_ download: NewDownload, in downloads: Downloads) async throws -> Receipt? {
        guard let source = download.urls.first.flatMap({ try? Source($0) }),
            let found = receipts[source.identity], has(found, download),
            source.credentials == nil || source.credentials == found.source.credentials,
            download.options.allSatisfy({ $0.value.isEmpty || Self.harmless.contains($0.key) })
        else { return nil }
        let (directory, name) = (download.options["dir"]?.first, download.options["out"]?.first)
        guard directory != nil || name != nil else { return found }
        return try await downloads.place(directory, name) == found.destination ? found : nil
    }

    /// True if a download has the mirrors and the digest of a new one.
    private func has(_ receipt: Receipt, _ download: NewDownload) -> Bool {
        let mirrors = Set(receipt.mirrors.map(\.identity))
        let digest = download.options["checksum"]?.first.map { try? Checksum(given: $0) }
        return download.urls.dropFirst().allSatisfy { url in
            (try? Source(url)).map { mirrors.contains($0.identity) } ?? false
        } && (digest.map { $0.map(receipt.checksums.contains) ?? false } ?? true)
    }
}
