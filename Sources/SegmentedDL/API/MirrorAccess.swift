/// The header fields and credentials that are sent to one server of a mirror.
public struct MirrorAccess: Sendable, Hashable {
    /// The server, by its scheme, host and port: the fields and credentials are sent to no other server.
    public var origin: Source?

    /// Header fields to send.
    public var headers: [HTTPHeader] = []

    /// The credentials for HTTP authentication, or to sign requests for listings and files.
    public var credentials: Credentials?

    /// Creates an access without fields or credentials, for no server.
    public init() {}

    /// Creates an access to the server of a source, without fields or credentials.
    public init(for origin: Source) {
        self.origin = origin
    }
}
