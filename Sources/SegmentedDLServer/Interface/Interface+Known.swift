internal import SegmentedDL
internal import SegmentedDLQueue

extension Interface {
    /// Adds a download, unless the list contains it.
    func add(_ download: NewDownload) async throws -> (receipt: Receipt, isThere: Bool) {
        let source = download.urls.first.flatMap { try? Source(named: $0) }
        while true {
            var before: [Receipt.ID]?
            if let source { before = await downloads.manager.ids(from: source) }
            if let receipt = try await known(download) { return (receipt, true) }
            do {
                let request = try download.request(downloads.usualRequest)
                let receipt = try await downloads.add(
                    request, startsPaused: download.startsPaused, checksumOrigin: download.checksumOrigin,
                    known: before)
                return (receipt, false)
            } catch is StaleSnapshot {
                // Another caller has since added the same link.
            }
        }
    }

    /// Returns the existing download that a new one repeats, so that adding a link again does not create a
    /// second download.
    ///
    /// - Returns: `nil` if the new one has its own place, digest, mirror, password or settings.
    /// - Throws: `DownloadError` with code `badPath` for a path outside the fence.
    func known(_ download: NewDownload) async throws -> Receipt? {
        guard let url = download.urls.first, let source = try? Source(named: url),
            !download.hasOwnSettings,
            let found = try? await downloads.manager.receipts(.url(url))
        else { return nil }
        for receipt in found where has(receipt, download) {
            if try await has(receipt, source.credentials), try await isWanted(at: receipt, download) {
                return receipt
            }
        }
        return nil
    }

    /// True if a download has the mirrors and the digest of a new one.
    private func has(_ receipt: Receipt, _ download: NewDownload) -> Bool {
        let mirrors = Set(receipt.mirrors.map(\.identity))
        let digest = download.checksum.map { try? Checksum(given: $0) }
        return download.urls.dropFirst().allSatisfy { url in
            (try? Source(url)).map { mirrors.contains($0.identity) } ?? false
        } && (digest.map { $0.map(receipt.checksums.contains) ?? false } ?? true)
    }

    /// True if a download has the credentials of a new one's URL, or the URL has none.
    private func has(_ receipt: Receipt, _ credentials: Credentials?) async throws -> Bool {
        guard let credentials else { return true }
        return await downloads.jobs.authorization(for: receipt)?.credentials == credentials
    }

    private func isWanted(at receipt: Receipt, _ download: NewDownload) async throws -> Bool {
        let (directory, name) = (download.directory, download.name)
        guard directory != nil || name != nil else { return true }
        return try await downloads.place(directory, name) == receipt.destination
    }
}
