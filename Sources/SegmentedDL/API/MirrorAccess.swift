/// The header fields and credentials that are sent to one server of a mirror.
public struct MirrorAccess: Sendable, Hashable {
    /// The server's scheme, host and port. The fields and credentials are sent to no other server.
    public var origin: Source?

    /// Header fields to send.
    public var headers: [HTTPHeader] = []

    /// The credentials for HTTP authentication, or to sign requests for listings and files.
    public var credentials: Credentials?

    /// The remedy for an exhausted quota of the server, as a clause; `nil` for none.
    package var quotaAdvice: String?

    /// Creates an empty value, for no server.
    public init() {}

    /// Creates a value for the server of a source, without fields or credentials.
    public init(for origin: Source) {
        self.origin = origin
    }

    /// True if requests send a user name and a password (RFC 7617), which a challenge requested; `nil` if
    /// they send another Authorization field, or none.
    package var hasSentLogin: Bool? {
        credentials?.authorization?.value?.hasPrefix("Basic ") ?? false ? true : nil
    }
}
