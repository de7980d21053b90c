internal import Logging

/// No source sends what the digests of pieces say that a server's Metalink gave.
struct WrongDescription: Error {}

extension FileDownload {
    /// Longer descriptions are not read, in bytes: those of 40 GB in pieces of a mebibyte are shorter.
    private static let longestDescription = 4 * 1024 * 1024

    /// How many bytes of one are looked at together.
    private static let descriptionPart = 64 * 1024

    /// What a Metalink that the server names says of the file (RFC 6249): digests of its pieces, and more sources. A document
    /// that does not have the file's own digest may be of another version, and does not count.
    ///
    /// The connection of the first response is given up for it: with a cap of one, a second one would be waited for in
    /// vain.
    ///
    /// - Throws: `CancellationError`. What goes wrong with the document is only logged: the file can be had without it.
    func description(of probe: FirstResponse, _ client: SourceClient) async throws -> MirrorItem? {
        let resource = probe.resource
        let digests = [request.checksum, resource.digest?.checksum].compactMap { $0 }
        guard request.followsLinks, request.pieces == nil, !digests.isEmpty, resource.acceptsRanges,
            let length = resource.length, length >= configuration.minimumSegmentSize,
            let document = resource.descriptions.first
        else { return nil }
        probe.abandon()
        do {
            let item: MirrorItem? = try await Self.within(Self.longestSilence) { [self] in
                try await self.item(of: document, client) { item in
                    item.size == length && digests.contains(where: item.checksums.contains)
                }
            }
            if let item { return item }
            configuration.logger.notice("\(document) says nothing of this version of \(request.source)")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            configuration.logger.notice("\(document) cannot be used: \(publicError(error, document))")
        }
        return nil
    }

    private func item(
        of document: Source, _ client: SourceClient, where isMeant: (MirrorItem) -> Bool
    ) async throws -> MirrorItem? {
        var retry = configuration.retry
        retry.retries = 0
        let fetch = DocumentFetch(limit: Self.longestDescription, retry: retry)
        let asking = client.client(for: document, HostAccess(to: document, by: request.mirrorAccess))
        var rest = try await fetch.fetch(asking).bytes[...]
        var parser = try MetalinkParser(name: document.description)
        func found(_ entries: [MirrorEntry]) -> MirrorItem? {
            for case .item(let item) in entries where isMeant(item) { return item }
            return nil
        }
        while !rest.isEmpty {
            if let item = found(try parser.feed(rest.prefix(Self.descriptionPart))) { return item }
            rest = rest.dropFirst(Self.descriptionPart)
        }
        return found(try parser.finish())
    }

    /// Whether a failure says that pieces are not what their digests say.
    func isOfPieces(_ error: any Error) -> Bool {
        // That of the whole file comes otherwise: there is nothing more to be tried then.
        error is TransferFailure && (publicError(error) as? DownloadError)?.code == .checksumMismatch
    }
}
