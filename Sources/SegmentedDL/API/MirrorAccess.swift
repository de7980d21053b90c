/// The header fields and credentials that one server of a mirror gets to see.
public struct MirrorAccess: Sendable, Hashable {
    /// The server that the rest is for, by its scheme, host and port: no other server ever sees it.
    public var origin: Source?

    /// Header fields to send along.
    public var headers: [HTTPHeader] = []

    /// For HTTP authentication, or to sign requests with: those for listings and for files.
    public var credentials: Credentials?

    /// Nothing for any server.
    public init() {}

    /// Nothing yet, for the server of this source.
    public init(for origin: Source) {
        self.origin = origin
    }
}
