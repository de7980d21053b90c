import SegmentedDLSupport

/// A document that a search fetched.
struct FetchedProof: Sendable {
    enum Content: Sendable {
        case lines(DigestDocument)
        /// - Parameter names: The names of the files next to the file, which may be lists.
        case table([String: Checksum], names: [String])

        /// Parses a document.
        ///
        /// - Parameter form: The known form; `nil` for a list of digests.
        /// - Returns: `nil` for another document.
        init?(_ document: DocumentFetch.Document, _ form: KnownHost.Form?) {
            switch form {
            case .release:
                guard let found = try? KnownDocument.assets(in: document.bytes) else { return nil }
                self = .table(found.digests, names: found.names)
            case .packages:
                guard let found = try? KnownDocument.distributions(in: document.bytes) else { return nil }
                self = .table(found, names: [])
            case .text, nil:
                guard !WebPage.isType(document.contentType), let found = DigestDocument(document.bytes)
                else { return nil }
                self = .lines(found)
            }
        }
    }

    var content: Content
    /// The final URL of the document, after redirects.
    let source: Source

    /// Returns the digest that it lists for a file.
    ///
    /// - Parameter name: The document's name, if it is a list.
    func digest(of file: String, _ name: DigestName?) -> ListedDigest? {
        switch content {
        case .lines(let document): name.flatMap { document.digest(of: file, $0) }
        case .table(let digests, _): digests[file].map { ListedDigest(checksum: $0, isNamed: true) }
        }
    }
}

/// The fetched documents, each fetched once for all files of a downloader.
final class ProofCache: Sendable {
    /// The listing of a directory.
    struct Listing: Sendable {
        /// The names in it; empty without a listing.
        var names: [String] = []
        /// The failure of the request for it, or the reason why names may be missing, if another request may
        /// succeed.
        var failure: String?
    }

    /// The known facts about one directory.
    final class Directory: Sendable {
        let listing: CachedValue<Listing>
        /// The first file whose own document was requested without a listing, and the result.
        let guess: CachedValue<(file: String, answer: ProofAnswer)>
        /// The first signature that was requested without a listing, and the result.
        let signature: CachedValue<(url: String, answer: SignatureAnswer)>

        fileprivate init(outlivesCallers: Bool) {
            listing = CachedValue(outlivesCallers: outlivesCallers)
            guess = CachedValue(outlivesCallers: outlivesCallers)
            signature = CachedValue(outlivesCallers: outlivesCallers)
        }
    }

    /// The key of a cached signature check.
    struct SignatureID: Sendable, Hashable {
        /// The document's bytes, since its URL may serve others later.
        let document: [UInt8]
        /// The URL of the signature.
        let signature: String?
        let keys: [ProofKey]

        /// Hash only the URL: a document may have megabytes, and the hash is computed under the lock.
        /// Comparing is cheap, because equal documents share storage.
        func hash(into hasher: inout Hasher) {
            hasher.combine(document.count)
            hasher.combine(signature)
            hasher.combine(keys)
        }
    }

    private struct State {
        /// The time of the first entry.
        var began = Monotonic.now()
        var directories: [String: Directory] = [:]
        var documents: [String: CachedValue<ProofAnswer>] = [:]
        var signatures: [SignatureID: CachedValue<SignatureFinding>] = [:]
        /// The times at which directories and documents were first requested.
        var times: [String: Double] = [:]
    }

    /// The maximum number of directories and documents that are kept.
    private static let most = 256

    /// The number of seconds after which documents are fetched again, since files and lists change.
    private static let lifetime = 600.0

    private let outlivesCallers: Bool
    private let state = Lock(State())

    /// - Parameter outlivesCallers: True to complete requests for later files whose own files have ended.
    init(outlivesCallers: Bool = true) {
        self.outlivesCallers = outlivesCallers
    }

    /// - Parameter now: The current time of `Monotonic`.
    func directory(_ url: String, now: Double = Monotonic.now()) -> Directory {
        state.withLock { state in
            Self.expire(&state, now)
            if let known = state.directories[url] { return known }
            let new = Directory(outlivesCallers: outlivesCallers)
            state.directories[url] = new
            state.times[url] = now
            return new
        }
    }

    /// Returns a document.
    ///
    /// - Throws: `CancellationError`.
    func document(
        _ url: String, now: Double = Monotonic.now(),
        orFetch fetch: @escaping @Sendable () async throws -> ProofAnswer
    ) async throws -> ProofAnswer {
        let value = state.withLock { state in
            Self.expire(&state, now)
            if let known = state.documents[url] { return known }
            let new = CachedValue<ProofAnswer>(outlivesCallers: outlivesCallers)
            state.documents[url] = new
            state.times[url] = now
            return new
        }
        return try await value.value(if: { _ in true }, orFetch: fetch)
    }

    /// Removes a directory with its documents, or a document, if it was first requested before a time.
    ///
    /// - Returns: False if it was not.
    func remove(_ url: String, requestedBefore time: Double) -> Bool {
        state.withLock { state in
            guard let requested = state.times[url], requested < time else { return false }
            state.directories[url] = nil
            state.documents = state.documents.filter { !$0.key.hasPrefix(url) }
            state.times = state.times.filter { !$0.key.hasPrefix(url) || state.directories[$0.key] != nil }
            return true
        }
    }

    /// Returns the result of the check of a document's signature.
    ///
    /// - Throws: `CancellationError`.
    func signature(
        _ id: SignatureID, orCheck check: @escaping @Sendable () async throws -> SignatureFinding
    ) async throws -> SignatureFinding {
        let value = state.withLock { state in
            if let known = state.signatures[id] { return known }
            let new = CachedValue<SignatureFinding>()
            state.signatures[id] = new
            return new
        }
        return try await value.value(if: { _ in true }, orFetch: check)
    }

    private static func expire(_ state: inout State, _ now: Double) {
        let isFull =
            max(state.directories.count, state.documents.count, state.signatures.count) >= most
        if isFull || now - state.began > lifetime { state = State(began: now) }
    }
}
