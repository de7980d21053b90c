/// The further sources of a file that servers named on the way to it (Metalink over HTTP, RFC 6249), the digest of the file
/// that came with them, and the Metalinks that describe it.
struct LinkedSources: Equatable, Sendable {
    /// How many count. A server must not send its clients to any number of others.
    static let most = 16

    /// The preferred one first, each once.
    private(set) var sources: [Source] = []

    /// Metalink documents that describe the file, each once.
    private(set) var descriptions: [Source] = []

    /// What a redirect that names sources says of the file: of its own content nobody wants a digest.
    private(set) var digest: ServerDigest?

    /// - Parameters:
    ///   - redirects: The answers that led to the file, each with what was asked for.
    ///   - last: The answer that sends it.
    init(redirects: [(head: ResponseHead, source: Source)], last: (head: ResponseHead, source: Source)) {
        let known = redirects.map(\.source) + [last.source]
        let isSecure = known.allSatisfy { $0.origin.scheme == "https" }
        for (head, source) in redirects + [last] {
            let links = MetalinkHeaders(head, of: source, bodyIsWhole: false)
            // Who asks by https does not want to be seen asking by http. A user's name in a link is not the caller's.
            func usable(_ links: [Source]) -> some Sequence<Source> {
                links.lazy.filter { $0.origin.scheme == "https" || !isSecure }.map(\.withoutCredentials)
            }
            for link in usable(links.duplicates) where !known.contains(link) && !sources.contains(link) {
                if sources.count < Self.most { sources.append(link) }
            }
            for link in usable(links.descriptions) where !descriptions.contains(link) {
                if descriptions.count < Self.most { descriptions.append(link) }
            }
        }
        digest = redirects.last {
            !MetalinkHeaders($0.head, of: $0.source, bodyIsWhole: false).duplicates.isEmpty
        }
        .flatMap { ServerDigest.strongest(in: $0.head, bodyIsWhole: false) }
    }
}
