/// What one server of a mirror gets to see of its caller.
public struct MirrorAccess: Sendable, Hashable {
    /// The server that the rest is for, by its scheme, host and port: no other one ever sees it.
    public var home: Source?

    /// Header fields to send along.
    public var headers: [HTTPHeader] = []

    /// For HTTP basic authentication, or to sign requests with: those for listings and for files.
    public var credentials: Credentials?

    /// Nothing to show to anyone.
    public init() {}

    /// Nothing yet, for the server of this source.
    public init(for home: Source) {
        self.home = home
    }
}
