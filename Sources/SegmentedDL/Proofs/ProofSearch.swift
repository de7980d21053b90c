import SegmentedDLSupport

/// The search for the digest of one file in the documents next to it.
struct ProofSearch: Sendable {
    /// The minimum size in bytes of a file that is worth additional requests.
    static let minimumLength: Int64 = 4 << 20

    private static let maximumListingBytes = 4 << 20
    private static let maximumListBytes = 4 << 20
    /// The maximum duration of the request for a document.
    private static let deadline = Duration.seconds(30)
    /// The maximum number of retries of a request for a document.
    private static let maximumRetries = 1
    /// The age in seconds from which documents that do not list the file are requested again: they may have
    /// changed.
    private static let longestUse = 60.0
    /// The same if a digest is required.
    private static let shortestUse = 5.0

    /// The client of the file.
    private let client: SourceClient
    private(set) var cache: ProofCache
    /// The trusted keys; empty to request no signatures.
    let keys: [ProofKey]
    /// The header fields for GitHub's API.
    private let releaseAccess: MirrorAccess
    /// The retry policy of requests; `nil` for no retries.
    private let usualRetry: RetryPolicy
    private var repeats = false
    private let isRequired: Bool
    /// The URL next to which documents are searched for.
    private let base: Source
    /// The hosts that send the file's bytes.
    private let hosts: Set<String>

    /// - Parameters:
    ///   - clients: The clients of the file's sources, beginning with the one that answered.
    ///   - cache: The documents that were fetched before.
    ///   - retry: The retry policy of requests; `nil` for no retries.
    ///   - keys: The trusted keys.
    ///   - releaseAccess: The header fields for GitHub's API.
    ///   - isRequired: True if a digest is required.
    ///   - hasEarlierBytes: True if other hosts may have sent bytes of the file to an earlier run.
    /// - Returns: `nil` for a file whose URL has no name, or has a query, which may select the content.
    init?(
        _ clients: [SourceClient], _ cache: ProofCache, _ retry: RetryPolicy, keys: [ProofKey] = [],
        releaseAccess: MirrorAccess? = nil, isRequired: Bool = false, hasEarlierBytes: Bool = false
    ) {
        guard let client = clients.first,
            let base = [client.source, client.target].first(where: {
                !$0.hasQuery && !$0.lastPathComponent.isEmpty
            })
        else { return nil }
        self.client = client
        self.cache = cache
        usualRetry = retry
        self.keys = keys
        self.releaseAccess = releaseAccess ?? MirrorAccess()
        self.base = base
        self.isRequired = isRequired
        let places = clients.map(\.target) + (hasEarlierBytes ? clients.map(\.source) : [])
        hosts = Set(places.map(\.origin.host))
    }

    /// The same search with retries, fetching each document again.
    var anew: ProofSearch {
        var search = self
        search.cache = ProofCache(outlivesCallers: false)
        search.repeats = true
        return search
    }

    var file: String { base.lastPathComponent }

    /// The kinds of keys whose signatures are searched for.
    var kinds: Set<ProofKey.Kind> { Set(keys.map(\.kind)) }

    /// Searches for the digest that a document lists.
    ///
    /// - Throws: `CancellationError`.
    func run() async throws -> ProofFinding {
        let began = Monotonic.now()
        let found = try await findingInCache()
        let age = isRequired ? Self.shortestUse : Self.longestUse
        guard found.digest == nil, let place = KnownHost(of: base)?.url ?? directory?.url,
            cache.remove(place, requestedBefore: began - age)
        else { return found }
        return try await findingInCache()
    }

    private func findingInCache() async throws -> ProofFinding {
        if let known = KnownHost(of: base) { return try await finding(in: known) }
        guard let directory else { return .nothing("its URL has no directory") }
        let entry = cache.directory(directory.url)
        let listing = try await entry.listing.value(if: { _ in true }) {
            try await self.listing(of: directory)
        }
        if let found = try await finding(among: listing.names, in: directory) { return found }
        // The list may be among the names that a truncated listing lacks.
        guard listing.failure != nil || !listing.names.contains(file) else {
            return .nothing("the listing of \(directory) has no list of digests")
        }
        let guessed = try await guess(directory, entry)
        guard let failure = listing.failure, guessed.digest == nil else { return guessed }
        return .nothing(failure, isRetryable: true, isUnanswered: true)
    }

    /// Reads the best document among the names of a directory, and the best unsigned one if a signed one does
    /// not list the file; `nil` if none covers it.
    private func finding(among names: [String], in directory: Source) async throws -> ProofFinding? {
        guard let best = DigestName.best(for: file, among: names, signedBy: kinds) else { return nil }
        let found = try await finding(in: best, among: names, of: directory)
        guard let reason = found.reason, let other = DigestName.best(for: file, among: names),
            other.name != best.name
        else { return found }
        let second = try await finding(in: other, among: names, of: directory)
        guard let digest = second.digest else { return second.isUnanswered ? second : found }
        return .digest(digest.unsigned(for: SignatureLack(reason: reason, isRetryable: found.isRetryable)))
    }

    private func finding(
        in name: DigestName, among names: [String], of directory: Source
    ) async throws -> ProofFinding {
        let url = directory.url + PercentEncoding.path(name.name)
        let signature = SignatureName.of(name.name, among: Set(names), kinds)
        let place = signature.map { SignaturePlace.named(directory.url + PercentEncoding.path($0)) }
        return try await finding(document(url), at: url, name, place ?? .nowhere)
    }

    private var directory: Source? {
        guard let slash = base.url.lastIndex(of: "/") else { return nil }
        return try? Source(String(base.url[...slash]))
    }

    /// Requests a document about the file that no listing shows; if the first such request in a directory
    /// fails, no others are made.
    private func guess(_ directory: Source, _ entry: ProofCache.Directory) async throws -> ProofFinding {
        let url = directory.url + PercentEncoding.path(file + ".sha256")
        let name = DigestName(file + ".sha256", ofFile: file)
        let first = try await entry.guess.value(if: { _ in true }) { (file, try await fetch(url)) }
        let isOther = if case .document = first.answer { first.file != file } else { false }
        let answer = isOther ? try await document(url) : first.answer
        if case .failed(_, isRetryable: false) = answer {
            return .nothing(
                "the server sends neither a listing of \(directory) with it nor \(Printable.text(file)).sha256",
                isUnanswered: true)
        }
        return try await finding(answer, at: url, name, .guessed(of: url, entry))
    }

    private func finding(in known: KnownHost) async throws -> ProofFinding {
        let name: DigestName? = if case .text(let name) = known.form { name } else { nil }
        let answer = try await cache.document(known.url) { try await fetch(known.url, known) }
        let place = kinds.contains(.openPGP) ? known.signatureEnding.map { known.url + $0 } : nil
        let finding = try await finding(
            answer, at: known.url, name, place.map { .named($0) } ?? .nowhere)
        // The API has no digests of assets uploaded before June 2025.
        guard let listed = try await findingInAsset(answer, mustBeSigned: finding.digest != nil) else {
            return finding
        }
        guard let digest = finding.digest, listed.digest?.document.signature == nil else { return listed }
        return .digest(digest.unsigned(for: listed.digest?.unsigned))
    }

    /// Reads a list among the assets of a release; `nil` without one.
    ///
    /// - Parameter mustBeSigned: True to read only a signed list, because the API has an unsigned digest.
    private func findingInAsset(_ answer: ProofAnswer, mustBeSigned: Bool) async throws -> ProofFinding? {
        guard case .document(let found) = answer, case .table(_, let names) = found.content, let directory,
            let best = DigestName.best(for: file, among: names, signedBy: kinds),
            !mustBeSigned || best.hasSignature(among: Set(names), kinds)
        else { return nil }
        return try await finding(among: names, in: directory)
    }

    /// - Parameters:
    ///   - answer: The document.
    ///   - url: The URL that was requested.
    ///   - name: The document's name, if it is a list.
    ///   - place: The location of its signature.
    private func finding(
        _ answer: ProofAnswer, at url: String, _ name: DigestName?, _ place: SignaturePlace
    ) async throws -> ProofFinding {
        switch answer {
        case .failed(let reason, let isRetryable):
            return .nothing(reason, isRetryable: isRetryable, isUnanswered: true)
        case .document(let received):
            let (found, signature) = try await signed(received, place)
            guard let listed = found.digest(of: file, name) else {
                return .nothing("\(found.source) lists no usable digest of '\(Printable.text(file))'")
            }
            // A host that redirects to another host has chosen the list.
            let origins = [found.source.origin.host, (try? Source(url))?.origin.host].compactMap(\.self)
            var document = DigestProof.Document(
                url: found.source.description, isOfOtherHost: hosts.isDisjoint(with: origins))
            var lack: SignatureLack?
            switch signature {
            case .valid(let signature, _)?: document.signature = signature
            case .lacking(let reason)?: lack = reason
            case nil: break
            }
            return .digest(
                PublishedDigest(
                    checksum: listed.checksum, document: document, unsigned: lack, canRefute: listed.isNamed))
        }
    }

    // MARK: Requests

    private func listing(of directory: Source) async throws -> ProofCache.Listing {
        switch try await fetched(directory, Self.maximumListingBytes) {
        case .failure(let error): return ProofCache.Listing(failure: error.isRetryable ? error.clause : nil)
        case .success(let page):
            guard WebPage.isType(page.contentType), !page.source.hasQuery else { return ProofCache.Listing() }
            let path = page.source.url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }
            // Parsing megabytes must not delay the download, which shares the pool's few threads.
            return await DiskThread.run {
                let end = PageEnd(of: page.bytes)
                // The name in a truncated tag may be truncated, too.
                let whole = Array(page.bytes.prefix(end.wholeBytes))
                return ProofCache.Listing(
                    names: (try? DirectoryNames.read(whole, path: String(path))) ?? [],
                    failure: end.isCut ? "the listing of \(directory) ends in the middle of its page" : nil)
            }
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
        case .failure(let error): return .failed(error.clause, isRetryable: error.isRetryable)
        case .success(let document):
            // Parsing megabytes must not delay the download, which shares the pool's few threads.
            let content = await DiskThread.run { FetchedProof.Content(document, known?.form) }
            guard let content else {
                return .failed("\(document.source) is not a list of digests", isRetryable: false)
            }
            return .document(FetchedProof(content: content, source: document.source))
        }
    }

    /// Returns a document, or the failure: most files have none.
    ///
    /// - Throws: `CancellationError`.
    func fetched(
        _ source: Source, _ limit: Int, _ mediaType: String? = nil
    ) async throws -> Result<DocumentFetch.Document, DownloadError> {
        var access = HostAccess(to: source, by: releaseAccess)
        if let mediaType { access.headers.append(HTTPHeader("Accept", mediaType)) }
        let source = source.origin == base.origin ? source.with(base.credentials) : source
        var client = client.clientApart(for: source, access)
        let longestWait = min(usualRetry.longestRequestedWait ?? Self.deadline, Self.deadline)
        client.patienceSeconds = repeats ? usualRetry.longestRequestedWait?.seconds : longestWait.seconds
        // The files themselves come first; a required proof is searched for again.
        guard repeats || !client.needsWholeQuota else {
            return .failure(
                DownloadError(
                    .httpStatus, "'\(source)' was not requested, because its host accepts few requests.",
                    url: source.description, isRetryable: true))
        }
        var retry = usualRetry
        retry.retries = repeats ? min(retry.retries, Self.maximumRetries) : 0
        retry.longestRequestedWait = longestWait
        do {
            return .success(
                try await DocumentFetch(limit: limit, retry: retry, deadline: Self.deadline).fetch(client))
        } catch let failure as TransferFailure {
            return .failure(failure.error(for: source, file: source.description))
        } catch let error as DownloadError {
            return .failure(error)
        }
    }
}
