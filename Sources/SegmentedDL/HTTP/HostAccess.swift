/// The header fields and credentials that one host gets to see, and no other host.
struct HostAccess: Sendable {
    var headers: [HTTPHeader] = []
    var credentials: Credentials?
}

extension HostAccess {
    /// What a mirror's sources on one other host get to see; nothing for a source on any further host.
    ///
    /// - Parameter shared: Header fields for that host, in addition to its own.
    init(to source: Source, by access: MirrorAccess, shared: [HTTPHeader] = []) {
        guard source.origin == access.origin?.origin else { return }
        headers = shared + access.headers
        credentials = access.credentials
    }
}
