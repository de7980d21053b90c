internal import SegmentedDL
internal import SegmentedDLQueue

extension Interface {
    /// Adds a download, unless the list contains it.
    func add(_ entry: QueueEntry) async throws -> (receipt: Receipt, isThere: Bool) {
        while true {
            let before = await downloads.manager.ids(from: entry.request.source)
            if let receipt = try await known(entry.request) { return (receipt, true) }
            do {
                return (try await downloads.add(entry, known: before), false)
            } catch is StaleSnapshot {
                // Another caller has added the same link in the meantime.
            }
        }
    }

    /// Returns the existing download that a new one repeats, so that adding a link again does not create a
    /// second download.
    ///
    /// - Returns: `nil` if the new one has its own path, digest, mirror, password or settings.
    /// - Throws: `DownloadError` with code `badPath` for a path outside the allowed directories.
    private func known(_ request: DownloadRequest) async throws -> Receipt? {
        let usual = try downloads.usualRequest(for: request.sources.map(\.url))
        guard !request.hasOwnSettings(beside: usual),
            let found = try? await downloads.manager.receipts(.url(request.source.url))
        else { return nil }
        for receipt in found where receipt.has(request.mirrors, request.checksums) {
            if try await has(receipt, request.source.credentials),
                try await isWanted(at: receipt, request.destination, usual)
            {
                return receipt
            }
        }
        return nil
    }

    /// True if a download has the credentials of a new one's URL, or the URL has none.
    private func has(_ receipt: Receipt, _ credentials: Credentials?) async throws -> Bool {
        guard let credentials else { return true }
        return await downloads.store.authorization(for: receipt)?.credentials == credentials
    }

    private func isWanted(
        at receipt: Receipt, _ destination: DownloadRequest.Destination, _ usual: DownloadRequest
    ) async throws -> Bool {
        if destination == usual.destination { return true }
        return try await downloads.place(destination) == receipt.destination
    }
}

extension DownloadRequest {
    /// True if it has settings that may differ from those of another download of the same file.
    func hasOwnSettings(beside usual: DownloadRequest) -> Bool {
        var usual = usual
        (usual.source, usual.mirrors, usual.destination) = (source, mirrors, destination)
        (usual.checksums, usual.checksumOrigin) = (checksums, checksumOrigin)
        return self != usual
    }
}

extension Receipt {
    /// True if the download has the mirrors and the digests of a new one.
    fileprivate func has(_ others: [Source], _ digests: [Checksum]) -> Bool {
        let known = Set(mirrors.map(\.identity))
        return others.allSatisfy { known.contains($0.identity) } && digests.allSatisfy(checksums.contains)
    }
}
