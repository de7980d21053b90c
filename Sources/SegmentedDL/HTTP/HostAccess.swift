/// The header fields and credentials that one host gets to see, and no other host.
struct HostAccess: Sendable {
    var headers: [HTTPHeader] = []
    var credentials: Credentials?
}

extension HostAccess {
    /// The access of a source whose host is not the request's: a mirror's, if it is for that host, and else
    /// none.
    ///
    /// - Parameter shared: Header fields for that host, in addition to its own.
    init(to source: Source, by access: MirrorAccess, shared: [HTTPHeader] = []) {
        guard source.origin == access.origin?.origin else { return }
        headers = shared + access.headers
        credentials = access.credentials
    }
}
