/// The further sources of a file that servers named on the way to it (Metalink over HTTP, RFC 6249), the
/// digest of the file that came with them, and the Metalinks that describe it.
struct LinkedSources: Equatable, Sendable {
    /// The largest number that counts, because a server must not send its clients to any number of others.
    static let most = 16

    /// The sources, the preferred one first, each once.
    private(set) var sources: [Source] = []

    /// Metalink documents that describe the file, each once.
    private(set) var descriptions: [Source] = []

    /// The file's digest, taken from a redirect with Link fields. A digest of the redirect's own body is
    /// ignored.
    private(set) var digest: ServerDigest?

    /// - Parameters:
    ///   - redirects: The responses that led to the file, each with the source that was requested.
    ///   - last: The response that sends the file.
    init(redirects: [(head: ResponseHead, source: Source)], last: (head: ResponseHead, source: Source)) {
        let known = redirects.map(\.source) + [last.source]
        let isSecure = known.allSatisfy { $0.origin.scheme == "https" }
        for (head, source) in redirects + [last] {
            let links = MetalinkHeaders(head, of: source, bodyIsWhole: false)
            // A request over https must not become visible over http. Credentials in a link are not the
            // caller's.
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
