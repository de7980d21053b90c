import SegmentedDLSupport

/// The location of a document's signature.
enum SignaturePlace: Sendable {
    /// No separate signature exists; the document may have an inline one.
    case nowhere
    /// A URL.
    case named(String)
    /// No listing is available that would show a signature of the document at this URL.
    case guessed(of: String, ProofCache.Directory)
}

/// The response to the request for a signature.
enum SignatureAnswer: Sendable {
    case file([UInt8])
    case failed(SignatureLack)
}

extension ProofSearch {
    private static let maximumSignatureBytes = 64 * 1024

    /// Looks for the signature of a document.
    ///
    /// - Parameters:
    ///   - found: The document.
    ///   - place: The location of its signature.
    /// - Returns: The document, without its unsigned parts if it is signed, and the finding; `nil` if no
    ///   signature was requested.
    /// - Throws: `CancellationError`.
    func signed(
        _ found: FetchedProof, _ place: SignaturePlace
    ) async throws -> (FetchedProof, SignatureFinding?) {
        guard !keys.isEmpty else { return (found, nil) }
        guard case .lines(let document) = found.content else {
            return (found, .lacking(SignatureLack(reason: "\(found.source) has no signature")))
        }
        let id = ProofCache.SignatureID(
            document: document.bytes, signature: signatureURL(place), keys: keys)
        let finding = try await cache.signature(id) {
            try await self.finding(of: id.document, at: found.source, place)
        }
        guard case .valid(_, let text?) = finding else { return (found, finding) }
        guard let content = await DiskThread.run({ DigestDocument(text) }) else {
            let reason = "\(found.source) signs text that is not a list"
            return (found, .lacking(SignatureLack(reason: reason)))
        }
        var signed = found
        signed.content = .lines(content)
        return (signed, finding)
    }

    /// The URL of a signature; `nil` if none is known.
    private func signatureURL(_ place: SignaturePlace) -> String? {
        switch place {
        case .nowhere: nil
        case .named(let url): url
        case .guessed(let url, _): SignatureName.guess(url, kinds)
        }
    }

    private func finding(
        of document: [UInt8], at source: Source, _ place: SignaturePlace
    ) async throws -> SignatureFinding {
        let check = SignatureCheck(keys: keys)
        if OpenPGPMessage.isInline(document) {
            return try await check.inline(document, named: source.description)
        }
        guard let url = signatureURL(place) else {
            return .lacking(
                SignatureLack(reason: "\(source) has no signature by a given key"))
        }
        switch try await answer(url, place) {
        case .failed(let lack): return .lacking(lack)
        case .file(let bytes):
            let name = (try? Source(url))?.description ?? ""
            return try await check.finding(bytes, named: name, of: document)
        }
    }

    /// Requests a signature. If a directory has no listing and its first signature is missing, no others are
    /// requested.
    private func answer(_ url: String, _ place: SignaturePlace) async throws -> SignatureAnswer {
        guard case .guessed(_, let directory) = place else { return try await signature(url) }
        let first = try await directory.signature.value(if: { _ in true }) {
            (url, try await signature(url))
        }
        guard case .file = first.answer, first.url != url else { return first.answer }
        return try await signature(url)
    }

    private func signature(_ url: String) async throws -> SignatureAnswer {
        guard let source = try? Source(url) else {
            return .failed(SignatureLack(reason: "'\(url)' is not a URL"))
        }
        switch try await fetched(source, Self.maximumSignatureBytes) {
        case .failure(let error):
            return .failed(SignatureLack(reason: error.clause, isRetryable: error.isRetryable))
        case .success(let document):
            guard !WebPage.isType(document.contentType) else {
                return .failed(SignatureLack(reason: "\(document.source) is a web page, not a signature"))
            }
            return .file(document.bytes)
        }
    }
}

extension DownloadError {
    /// The message as a clause.
    var clause: String { message.hasSuffix(".") ? String(message.dropLast()) : message }
}

extension PublishedDigest {
    /// Returns the digest with another reason why its document counts as unsigned.
    func unsigned(for reason: SignatureLack?) -> PublishedDigest {
        var digest = self
        digest.unsigned = reason ?? unsigned
        return digest
    }
}
