internal import Logging

extension FileDownload {
    /// The maximum size of a Metalink. That of a 40 GB file in pieces of 1 MiB is smaller.
    private static let maximumDescriptionBytes = 4 * 1024 * 1024

    /// The number of bytes of a Metalink that are parsed in one step.
    private static let descriptionPartBytes = 64 * 1024

    /// Returns the description of the file in a Metalink that the server links to (RFC 6249), with piece
    /// digests and further sources. A document without the file's own digest may describe another version,
    /// and is ignored.
    ///
    /// The connection of the first response is released first, because with a cap of one connection a second
    /// one would never be granted.
    ///
    /// - Throws: `CancellationError`. Any other error is only logged: the file can be downloaded without the
    ///   document.
    func metalink(of primary: PrimarySource) async throws -> MirrorItem? {
        let resource = primary.first.resource
        let digests = request.checksums + [resource.digest?.checksum].compactMap(\.self)
        guard request.followsLinks, request.pieces == nil, !digests.isEmpty, resource.acceptsRanges,
            let length = resource.length, length >= configuration.minimumSegmentSize,
            let document = resource.descriptions.first
        else { return nil }
        primary.first.abandon()
        do {
            let item: MirrorItem? = try await withinMaximumSilence { [self] in
                try await self.item(of: document, primary.client) { item in
                    item.size == length && digests.contains(where: item.checksums.contains)
                }
            }
            if let item { return item }
            configuration.logger.notice("\(document) does not describe this version of \(request.source)")
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
        let fetch = DocumentFetch(limit: Self.maximumDescriptionBytes, retry: retry)
        let access = HostAccess(to: document, by: request.mirrorAccess)
        var rest = try await fetch.fetch(client.client(for: document, access)).bytes[...]
        var parser = try MetalinkParser(name: document.description)
        func found(_ entries: [MirrorEntry]) -> MirrorItem? {
            for case .item(let item) in entries where isMeant(item) { return item }
            return nil
        }
        while !rest.isEmpty {
            if let item = found(try parser.feed(rest.prefix(Self.descriptionPartBytes))) { return item }
            rest = rest.dropFirst(Self.descriptionPartBytes)
        }
        return found(try parser.finish())
    }
}
