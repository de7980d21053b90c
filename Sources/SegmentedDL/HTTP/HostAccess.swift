/// The header fields and credentials that are sent to one host, and no other.
struct HostAccess: Sendable {
    var headers: [HTTPHeader] = []
    var credentials: Credentials?
}

extension HostAccess {
    /// Creates the access of a source whose host is not the request's: a mirror's, if it is for that host,
    /// and otherwise none.
    ///
    /// - Parameter shared: Header fields for that host, in addition to its own.
    init(to source: Source, by access: MirrorAccess, shared: [HTTPHeader] = []) {
        guard source.origin == access.origin?.origin else { return }
        headers = shared + access.headers
        credentials = access.credentials
    }
}
