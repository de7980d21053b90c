import SegmentedDLSupport

/// A document that a search fetched.
struct FetchedProof: Sendable {
    enum Content: Sendable {
        case lines(DigestDocument)
        case table([String: Checksum])
    }

    let content: Content
    /// The URL that sent it, after redirects.
    let source: Source

    /// Returns the digest that it lists for a file.
    ///
    /// - Parameter name: The document's name, if it is a list.
    func digest(of file: String, _ name: DigestName?) -> Checksum? {
        switch content {
        case .lines(let document): name.flatMap { document.digest(of: file, $0) }
        case .table(let digests): digests[file]
        }
    }
}

/// The fetched documents, each fetched once for all files of a downloader.
final class ProofCache: Sendable {
    /// The known facts about one directory.
    final class Directory: Sendable {
        /// The names in its listing; empty without a listing.
        let names = CachedValue<[String]>()
        /// The first file whose own document was requested without a listing, and the result.
        let guess = CachedValue<(file: String, found: FetchedProof?)>()
    }

    private struct State {
        var directories: [String: Directory] = [:]
        var documents: [String: CachedValue<FetchedProof?>] = [:]
    }

    /// The maximum number of directories and documents that are kept.
    private static let most = 64

    private let state = Lock(State())

    func directory(_ url: String) -> Directory {
        state.withLock { state in
            if let known = state.directories[url] { return known }
            if state.directories.count >= Self.most { state.directories = [:] }
            let new = Directory()
            state.directories[url] = new
            return new
        }
    }

    /// Returns a document.
    ///
    /// - Throws: `CancellationError`.
    func document(
        _ url: String, orFetch fetch: @escaping @Sendable () async throws -> FetchedProof?
    ) async throws -> FetchedProof? {
        let value = state.withLock { state in
            if let known = state.documents[url] { return known }
            if state.documents.count >= Self.most { state.documents = [:] }
            let new = CachedValue<FetchedProof?>()
            state.documents[url] = new
            return new
        }
        return try await value.value(if: { _ in true }, orFetch: fetch)
    }
}
