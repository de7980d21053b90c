/// The header fields and credentials that are sent to one host, and no other.
struct HostAccess: Sendable {
    var headers: [HTTPHeader] = []
    var credentials: Credentials?
}

extension HostAccess {
    /// Creates the access for a source on a host other than the request's: that of a mirror for this host, or
    /// otherwise an empty one.
    ///
    /// - Parameter shared: Header fields for that host, in addition to its own.
    init(to source: Source, by access: MirrorAccess, shared: [HTTPHeader] = []) {
        guard source.origin == access.origin?.origin else { return }
        headers = shared + access.headers
        credentials = access.credentials
    }
}
