/// The further sources of a file that servers linked to during its redirects (Metalink over HTTP, RFC 6249),
/// the file's digest sent with them, and the Metalinks that describe it.
struct LinkedSources: Equatable, Sendable {
    /// The maximum number of links that are used: so that a server cannot direct its clients to any number of
    /// others.
    static let most = 16

    /// The sources, the preferred one first, without duplicates.
    private(set) var sources: [Source] = []

    /// Metalink documents that describe the file, without duplicates.
    private(set) var descriptions: [Source] = []

    /// The file's digest, from a redirect with Link fields. A digest of the redirect's own body is ignored.
    private(set) var digest: ServerDigest?

    /// - Parameters:
    ///   - redirects: The redirects that led to the file, each with the requested source.
    ///   - last: The response that sends the file.
    init(redirects: [(head: ResponseHead, source: Source)], last: (head: ResponseHead, source: Source)) {
        let known = redirects.map(\.source) + [last.source]
        let isSecure = known.allSatisfy { $0.origin.scheme == "https" }
        for (head, source) in redirects + [last] {
            let links = MetalinkHeaders(head, of: source, bodyIsWhole: false)
            // A request over https must not be repeated in clear text over http. Credentials in a link are
            // ignored, because they are not the caller's.
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
