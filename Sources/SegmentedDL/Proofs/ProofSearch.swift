import SegmentedDLSupport

/// The search for the digest of one file in the documents next to it.
struct ProofSearch: Sendable {
    /// The minimum size in bytes of a file that is worth additional requests.
    static let minimumLength: Int64 = 4 << 20

    private static let maximumListingBytes = 512 * 1024
    private static let maximumListBytes = 1 << 20

    /// The client of the file.
    private let client: SourceClient
    private let cache: ProofCache
    private let retry: RetryPolicy
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
        var once = retry
        once.retries = 0
        self.retry = once
        self.base = base
        hosts = Set(clients.map(\.target.origin.host))
    }

    private var file: String { base.lastPathComponent }

    /// Returns the digest that a document lists; `nil` if none is found.
    ///
    /// - Throws: `CancellationError`.
    func run() async throws -> PublishedDigest? {
        if let known = KnownHost(of: base) { return try await published(in: known) }
        guard let directory = directory else { return nil }
        let entry = cache.directory(directory.url)
        let names = try await entry.names.value(if: { _ in true }) { try await self.names(in: directory) }
        if let best = DigestName.best(for: file, among: names) {
            let url = directory.url + PercentEncoding.path(best.name)
            return published(try await document(url), best)
        }
        return names.contains(file) ? nil : try await guess(directory, entry)
    }

    private var directory: Source? {
        guard let slash = base.url.lastIndex(of: "/") else { return nil }
        return try? Source(String(base.url[...slash]))
    }

    /// Requests a document about the file although no listing shows one, only once in a directory without
    /// any.
    private func guess(_ directory: Source, _ entry: ProofCache.Directory) async throws -> PublishedDigest? {
        guard let name = DigestName(file + ".sha256", ofFile: file) else { return nil }
        let url = directory.url + PercentEncoding.path(name.name)
        let first = try await entry.guess.value(if: { _ in true }) { (file, try await fetch(url)) }
        guard let found = first.found else { return nil }
        return published(first.file == file ? found : try await document(url), name)
    }

    private func published(in known: KnownHost) async throws -> PublishedDigest? {
        let name: DigestName? = if case .text(let name) = known.form { name } else { nil }
        let found = try await cache.document(known.url) { try await fetch(known.url, known) }
        return published(found, name)
    }

    private func published(_ found: FetchedProof?, _ name: DigestName?) -> PublishedDigest? {
        guard let found, let checksum = found.digest(of: file, name) else { return nil }
        return PublishedDigest(
            checksum: checksum,
            document: DigestProof.Document(
                url: found.source.description, isOfOtherHost: !hosts.contains(found.source.origin.host)))
    }

    // MARK: Requests

    private func names(in directory: Source) async throws -> [String] {
        guard let page = try await fetched(directory, Self.maximumListingBytes, mediaType: nil),
            WebPage.isType(page.contentType), !page.source.hasQuery
        else { return [] }
        let path = page.source.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
        return (try? DirectoryNames.read(page.bytes, path: String(path))) ?? []
    }

    private func document(_ url: String) async throws -> FetchedProof? {
        try await cache.document(url) { try await fetch(url) }
    }

    private func fetch(_ url: String, _ known: KnownHost? = nil) async throws -> FetchedProof? {
        guard let source = try? Source(url),
            let document = try await fetched(
                source, known?.maximumBytes ?? Self.maximumListBytes, mediaType: known?.mediaType)
        else { return nil }
        let content: FetchedProof.Content? =
            switch known?.form {
            case .release: (try? KnownDocument.assets(in: document.bytes)).map { .table($0) }
            case .packages: (try? KnownDocument.distributions(in: document.bytes)).map { .table($0) }
            case .text, nil:
                WebPage.isType(document.contentType)
                    ? nil : DigestDocument(document.bytes).map { .lines($0) }
            }
        return content.map { FetchedProof(content: $0, source: document.source) }
    }

    /// Returns a document; `nil` on any failure, because most files have none.
    ///
    /// - Throws: `CancellationError`.
    private func fetched(
        _ source: Source, _ limit: Int, mediaType: String?
    ) async throws -> DocumentFetch.Document? {
        let accept = mediaType.map { [HTTPHeader("Accept", $0)] } ?? []
        do {
            return try await DocumentFetch(limit: limit, retry: retry).fetch(
                client.clientApart(for: source, HostAccess(headers: accept)))
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            return nil
        }
    }
}
