internal import Logging

extension FileDownload {
    /// Longer descriptions are not read, in bytes.
    private static let longestDescription = 16 * 1024 * 1024

    /// What a Metalink that the server names says of the file (RFC 6249): digests of its pieces, and more
    /// sources. A document that does not have the file's own digest may be of another version, and does not count.
    ///
    /// The connection of the first response is given up for it: with a cap of one, a second one would be waited for in
    /// vain.
    ///
    /// - Throws: `CancellationError`. What goes wrong with the document is only logged: the file can be had without it.
    func description(of probe: ProbedResponse, _ requester: Requester) async throws -> MirrorItem? {
        let resource = probe.resource
        let digests = [request.checksum, resource.digest?.checksum].compactMap { $0 }
        guard request.followsLinks, request.pieces == nil, !digests.isEmpty, resource.acceptsRanges,
            let length = resource.length, length >= configuration.minimumSegmentSize,
            let document = resource.descriptions.first
        else { return nil }
        probe.abandon()
        do {
            for item in try await items(of: document, requester)
            where item.size == length && digests.contains(where: item.checksums.contains) {
                return item
            }
            configuration.logger.notice("\(document) says nothing of this version of \(request.source)")
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            configuration.logger.notice("\(document) cannot be used: \(publicError(error, document))")
        }
        return nil
    }

    private func items(of document: Source, _ requester: Requester) async throws -> [MirrorItem] {
        var retry = configuration.retry
        retry.retries = min(retry.retries, 1)
        let fetch = DocumentFetch(limit: Self.longestDescription, retry: retry)
        let asking = requester.asking(document, request.mirrorAccess, sharedHeaders: [])
        var parser = try MetalinkParser(name: document.description)
        let entries = try parser.feed(try await fetch.fetch(asking).bytes) + parser.finish()
        return entries.compactMap { entry in
            if case .item(let item) = entry { item } else { nil }
        }
    }
}
