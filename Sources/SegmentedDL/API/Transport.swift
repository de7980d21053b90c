public import SystemPackage

/// How connections are made. The defaults are libcurl's, but for those named here.
public struct Transport: Sendable, Hashable {
    /// Which IP version to use.
    public enum AddressFamily: Sendable, Hashable {
        /// Whatever works first.
        case any
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6
    }

    /// The proxy's URL, as in CURLOPT_PROXY; `nil` takes it from the usual environment variables.
    public var proxy: String?
    /// A PEM file of certificate authorities to trust instead of the system's (CURLOPT_CAINFO).
    public var certificateAuthorities: FilePath?
    /// A PEM file with the client's certificate (CURLOPT_SSLCERT).
    public var clientCertificate: FilePath?
    /// A PEM file with the client's private key (CURLOPT_SSLKEY).
    public var clientKey: FilePath?
    /// Whether the server's certificate and host name are verified. Leave it on.
    public var verifiesTLS = true
    /// The network interface, address or host name to send from (CURLOPT_INTERFACE).
    public var interface: String?
    /// Which IP version to use.
    public var addressFamily = AddressFamily.any
    /// Fixed addresses, each `HOST:PORT:ADDRESS` (CURLOPT_RESOLVE).
    public var resolve: [String] = []
    /// Whether `~/.netrc` is searched for credentials of each host (CURLOPT_NETRC).
    public var usesNetrc = false
    /// A file of cookies in Netscape format, read once and kept in memory (CURLOPT_COOKIEFILE).
    public var cookieFile: FilePath?
    /// The `User-Agent` header.
    public var userAgent = "segdl/\(Version.current)"
    /// The `Referer` header; like all of the caller's, for the source's host only.
    public var referer: String?
    /// Seconds until a connection must stand, TLS included. More than 0.
    public var connectTimeout: Double = 30
    /// Bytes per second below which a connection counts as stalled (CURLOPT_LOW_SPEED_LIMIT). 0 turns it off.
    public var lowSpeedLimit: Int64 = 1
    /// Seconds below `lowSpeedLimit` after which a connection is given up (CURLOPT_LOW_SPEED_TIME).
    public var lowSpeedTime: Int = 20
    /// How many redirects are followed for one request. 0 or more.
    public var maxRedirects = 20

    /// The defaults.
    public init() {}
}
