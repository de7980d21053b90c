import SegmentedDLSupport

/// The place of a document's signature.
enum SignaturePlace: Sendable {
    /// No signature exists, unless the document has it in it.
    case nowhere
    /// A URL.
    case named(String)
    /// No listing shows a signature of the document at this URL.
    case guessed(of: String, ProofCache.Directory)
}

/// The answer to the request for a signature.
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
    ///   - place: The place of its signature.
    /// - Returns: The document, without its unsigned parts if it is signed, and the finding; `nil` if no
    ///   signature is wanted.
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
        guard let content = DigestDocument(text) else {
            let reason = "\(found.source) signs a text that is not a list"
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

    /// Requests a signature. Without a listing, a directory whose first signature is missing gets no other
    /// request for one.
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
                return .failed(SignatureLack(reason: "\(document.source) is a page and not a signature"))
            }
            return .file(document.bytes)
        }
    }
}

extension DownloadError {
    /// The message as a part of a sentence.
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
