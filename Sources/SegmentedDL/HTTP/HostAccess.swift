/// The header fields and credentials that are sent to one host, and no other.
struct HostAccess: Sendable {
    var headers: [HTTPHeader] = []
    var credentials: Credentials?
    /// The remedy for an exhausted quota of the host, as a clause; `nil` for none.
    var quotaAdvice: String?
}

extension HostAccess {
    /// Creates the access for a source on a host other than the request's: that of a mirror for this host, or
    /// otherwise an empty one.
    ///
    /// - Parameter transport: The settings whose header fields are sent to that host; `nil` for none.
    init(to source: Source, by access: MirrorAccess, transport: Transport? = nil) {
        guard source.origin == access.origin?.origin else { return }
        headers = transport?.headers(for: source, access.headers) ?? access.headers
        credentials = access.credentials
        quotaAdvice = access.quotaAdvice
    }
}

extension Transport {
    /// The referer that stands for the URL itself.
    static let ownURL = "*"

    /// Returns the header fields of the requests for a source that the caller has given.
    ///
    /// - Parameter own: The fields for the source. They replace those of these settings.
    func headers(for source: Source, _ own: [HTTPHeader]) -> [HTTPHeader] {
        guard let referer, !own.contains(where: { $0.name.lowercased() == "referer" }) else { return own }
        return [HTTPHeader("Referer", referer == Self.ownURL ? source.url : referer)] + own
    }
}
