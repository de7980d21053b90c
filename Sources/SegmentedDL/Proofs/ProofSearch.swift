import SegmentedDLSupport

/// The search for the digest of one file in the documents next to it.
struct ProofSearch: Sendable {
    /// The minimum size in bytes of a file that is worth additional requests.
    static let minimumLength: Int64 = 4 << 20

    private static let maximumListingBytes = 4 << 20
    private static let maximumListBytes = 4 << 20

    /// The client of the file.
    private let client: SourceClient
    private var cache: ProofCache
    /// The retries of a request, if it may be repeated.
    private let usualRetry: RetryPolicy
    private var repeats = false
    /// The URL next to which documents are searched for.
    private let base: Source
    /// The hosts that send the file's bytes.
    private let hosts: Set<String>

    /// - Parameter clients: The clients of the file's sources, beginning with the one that answered.
    /// - Returns: `nil` for a file whose URL has no name, or has a query, which may select the content.
    init?(_ clients: [SourceClient], _ cache: ProofCache, _ retry: RetryPolicy) {
        guard let client = clients.first,
            let base = [client.source, client.target].first(where: {
                !$0.hasQuery && !$0.lastPathComponent.isEmpty
            })
        else { return nil }
        self.client = client
        self.cache = cache
        usualRetry = retry
        self.base = base
        hosts = Set(clients.map(\.target.origin.host))
    }

    /// The same search, which fetches each document again, with the usual retries.
    var anew: ProofSearch {
        var search = self
        search.cache = ProofCache()
        search.repeats = true
        return search
    }

    private var file: String { base.lastPathComponent }

    /// Searches for the digest that a document lists.
    ///
    /// - Throws: `CancellationError`.
    func run() async throws -> ProofFinding {
        if let known = KnownHost(of: base) { return try await finding(in: known) }
        guard let directory else { return .nothing("its URL has no directory") }
        let entry = cache.directory(directory.url)
        let listing = try await entry.listing.value(if: { _ in true }) {
            try await self.listing(of: directory)
        }
        if let best = DigestName.best(for: file, among: listing.names) {
            let url = directory.url + PercentEncoding.path(best.name)
            return finding(try await document(url), at: url, best)
        }
        guard !listing.names.contains(file) else {
            return .nothing("the listing of \(directory) has no list of digests")
        }
        let guessed = try await guess(directory, entry)
        guard listing.isRetryable, let reason = guessed.reason else { return guessed }
        return .nothing(reason, isRetryable: true)
    }

    private var directory: Source? {
        guard let slash = base.url.lastIndex(of: "/") else { return nil }
        return try? Source(String(base.url[...slash]))
    }

    /// Requests a document about the file although no listing shows one, only once in a directory without
    /// any.
    private func guess(_ directory: Source, _ entry: ProofCache.Directory) async throws -> ProofFinding {
        let url = directory.url + PercentEncoding.path(file + ".sha256")
        let name = DigestName(file + ".sha256", ofFile: file)
        let first = try await entry.guess.value(if: { _ in true }) { (file, try await fetch(url)) }
        if case .document = first.answer, first.file != file {
            return finding(try await document(url), at: url, name)
        }
        return finding(first.answer, at: url, name)
    }

    private func finding(in known: KnownHost) async throws -> ProofFinding {
        let name: DigestName? = if case .text(let name) = known.form { name } else { nil }
        let answer = try await cache.document(known.url) { try await fetch(known.url, known) }
        return finding(answer, at: known.url, name)
    }

    /// - Parameter url: The URL that was requested.
    private func finding(_ answer: ProofAnswer, at url: String, _ name: DigestName?) -> ProofFinding {
        switch answer {
        case .failed(let reason, let isRetryable): return .nothing(reason, isRetryable: isRetryable)
        case .document(let found):
            guard let checksum = found.digest(of: file, name) else {
                return .nothing("\(found.source) lists no usable digest of '\(Printable.text(file))'")
            }
            // A host that redirects to another one has chosen the list.
            let origins = [found.source.origin.host, (try? Source(url))?.origin.host].compactMap(\.self)
            let document = DigestProof.Document(
                url: found.source.description, isOfOtherHost: hosts.isDisjoint(with: origins))
            return .digest(PublishedDigest(checksum: checksum, document: document))
        }
    }

    // MARK: Requests

    private func listing(of directory: Source) async throws -> ProofCache.Listing {
        switch try await fetched(directory, Self.maximumListingBytes) {
        case .failure(let error): return ProofCache.Listing(isRetryable: error.isRetryable)
        case .success(let page):
            guard WebPage.isType(page.contentType), !page.source.hasQuery else { return ProofCache.Listing() }
            let path = page.source.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
            return ProofCache.Listing(names: (try? DirectoryNames.read(page.bytes, path: String(path))) ?? [])
        }
    }

    private func document(_ url: String) async throws -> ProofAnswer {
        try await cache.document(url) { try await fetch(url) }
    }

    private func fetch(_ url: String, _ known: KnownHost? = nil) async throws -> ProofAnswer {
        guard let source = try? Source(url) else {
            return .failed("'\(url)' is not a URL", isRetryable: false)
        }
        switch try await fetched(source, known?.maximumBytes ?? Self.maximumListBytes, known?.mediaType) {
        case .failure(let error):
            let text = error.message
            return .failed(
                text.hasSuffix(".") ? String(text.dropLast()) : text, isRetryable: error.isRetryable)
        case .success(let document):
            let content: FetchedProof.Content? =
                switch known?.form {
                case .release: (try? KnownDocument.assets(in: document.bytes)).map { .table($0) }
                case .packages: (try? KnownDocument.distributions(in: document.bytes)).map { .table($0) }
                case .text, nil:
                    WebPage.isType(document.contentType)
                        ? nil : DigestDocument(document.bytes).map { .lines($0) }
                }
            guard let content else {
                return .failed("\(document.source) is not a list of digests", isRetryable: false)
            }
            return .document(FetchedProof(content: content, source: document.source))
        }
    }

    /// Returns a document, or the failure: most files have none.
    ///
    /// - Throws: `CancellationError`.
    private func fetched(
        _ source: Source, _ limit: Int, _ mediaType: String? = nil
    ) async throws -> Result<DocumentFetch.Document, DownloadError> {
        let accept = mediaType.map { [HTTPHeader("Accept", $0)] } ?? []
        let source = source.origin == base.origin ? source.with(base.credentials) : source
        var retry = usualRetry
        if !repeats { retry.retries = 0 }
        do {
            return .success(
                try await DocumentFetch(limit: limit, retry: retry).fetch(
                    client.clientApart(for: source, HostAccess(headers: accept))))
        } catch let failure as TransferFailure {
            return .failure(failure.error(for: source, file: source.description))
        } catch let error as DownloadError {
            return .failure(error)
        }
    }
}
