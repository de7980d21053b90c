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
    /// The listing of a directory.
    struct Listing: Sendable {
        /// The names in it; empty without a listing.
        var names: [String] = []
        /// True if its request may succeed later.
        var isRetryable = false
    }

    /// The known facts about one directory.
    final class Directory: Sendable {
        let listing = CachedValue<Listing>()
        /// The first file whose own document was requested without a listing, and the result.
        let guess = CachedValue<(file: String, answer: ProofAnswer)>()
    }

    private struct State {
        /// The time of the first entry.
        var began = Monotonic.now()
        var directories: [String: Directory] = [:]
        var documents: [String: CachedValue<ProofAnswer>] = [:]
    }

    /// The maximum number of directories and documents that are kept.
    private static let most = 256

    /// The seconds after which documents are fetched again, since files and lists change.
    private static let lifetime = 600.0

    private let state = Lock(State())

    /// - Parameter now: The time by `Monotonic`.
    func directory(_ url: String, now: Double = Monotonic.now()) -> Directory {
        state.withLock { state in
            Self.expire(&state, now)
            if let known = state.directories[url] { return known }
            let new = Directory()
            state.directories[url] = new
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
            let new = CachedValue<ProofAnswer>()
            state.documents[url] = new
            return new
        }
        return try await value.value(if: { _ in true }, orFetch: fetch)
    }

    private static func expire(_ state: inout State, _ now: Double) {
        let isFull = max(state.directories.count, state.documents.count) >= most
        if isFull || now - state.began > lifetime { state = State(began: now) }
    }
}
