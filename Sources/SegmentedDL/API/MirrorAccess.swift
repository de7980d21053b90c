/// The header fields and credentials that one server of a mirror gets to see.
public struct MirrorAccess: Sendable, Hashable {
    /// The server that the rest is for, by its scheme, host and port: no other server ever sees it.
    public var origin: Source?

    /// Header fields to send along.
    public var headers: [HTTPHeader] = []

    /// The credentials for HTTP authentication, or to sign requests for listings and files.
    public var credentials: Credentials?

    /// Creates an access without fields or credentials, for no server.
    public init() {}

    /// Creates an access to the server of a source; its fields and credentials are empty at first.
    public init(for origin: Source) {
        self.origin = origin
    }
}
