public import SystemPackage

/// The settings of connections. The defaults are libcurl's, except for the ones shown here.
public struct Transport: Sendable, Hashable {
    /// The IP versions to use.
    public enum AddressFamily: Sendable, Hashable {
        /// Both; the version that connects first wins.
        case any
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6
    }

    /// The formats of certificates and keys, by the names that libcurl has for them.
    public enum CertificateFormat: String, Sendable, Hashable, CaseIterable {
        /// Text (RFC 7468).
        case pem = "PEM"
        /// Binary.
        case der = "DER"
        /// A certificate and its key (RFC 7292).
        case pkcs12 = "P12"
    }

    /// The schemes by which a user name and a password are sent.
    public enum Authentication: Sendable, Hashable {
        /// HTTP basic authentication (RFC 7617), with the first request.
        case basic
        /// HTTP digest authentication (RFC 7616), which does not send the password. It costs one more request
        /// for each one, because the server names its nonce first.
        case digest
        /// The safer of those that the server offers in answer to a request without a password.
        case any
    }

    /// How the user names and passwords of servers are sent (CURLOPT_HTTPAUTH). Requests that are signed do
    /// not use it.
    public var authentication = Authentication.basic
    /// How the user name and the password in `proxy` are sent (CURLOPT_PROXYAUTH).
    public var proxyAuthentication = Authentication.basic
    /// The proxy's URL, as in CURLOPT_PROXY; `nil` takes it from the usual environment variables.
    public var proxy: String?
    /// Hosts that are reached without the proxy, with commas between them, as in CURLOPT_NOPROXY; `*` is all.
    /// `nil` takes them from `no_proxy` in the environment.
    public var noProxy: String?
    /// A PEM file of certificate authorities to trust instead of the system's (CURLOPT_CAINFO). If it is
    /// missing or damaged, each request over https fails with code `tlsFailed`.
    public var certificateAuthorities: FilePath?
    /// A file with the client's certificate (CURLOPT_SSLCERT). If it cannot be used, each request over https
    /// fails with code `invalidSetting`, and its message has the reason.
    public var clientCertificate: FilePath?
    /// The format of `clientCertificate` (CURLOPT_SSLCERTTYPE). A PKCS#12 file has the private key as well.
    public var clientCertificateFormat = CertificateFormat.pem
    /// A file with the client's private key (CURLOPT_SSLKEY); `nil` if it is in `clientCertificate`.
    public var clientKey: FilePath?
    /// The format of `clientKey` (CURLOPT_SSLKEYTYPE): PEM or DER.
    public var clientKeyFormat = CertificateFormat.pem
    /// The passphrase of the private key or the PKCS#12 file (CURLOPT_KEYPASSWD). Nothing asks for it: a key
    /// that is encrypted cannot be used without.
    public var clientKeyPassphrase: Passphrase?
    /// True if the server's certificate and host name are verified (CURLOPT_SSL_VERIFYPEER,
    /// CURLOPT_SSL_VERIFYHOST). Leave it on.
    public var verifiesTLS = true
    /// The network interface, address or host name to send from (CURLOPT_INTERFACE).
    public var interface: String?
    /// The IP versions to use (CURLOPT_IPRESOLVE).
    public var addressFamily = AddressFamily.any
    /// Fixed addresses, each `HOST:PORT:ADDRESS` (CURLOPT_RESOLVE).
    public var resolve: [String] = []
    /// True if `~/.netrc` is searched for the credentials of each host (CURLOPT_NETRC).
    public var usesNetrc = false
    /// The file that is searched instead of `~/.netrc`, if `usesNetrc` is true (CURLOPT_NETRC_FILE).
    public var netrcFile: FilePath?
    /// A file of cookies in Netscape format, read once and kept in memory (CURLOPT_COOKIEFILE).
    public var cookieFile: FilePath?
    /// The `User-Agent` header.
    public var userAgent = "SegmentedDL/\(Version.current)"
    /// The `Referer` header; like all headers of the caller, only for the source's host.
    public var referer: String?
    /// The time within which a connection must be established, TLS included (CURLOPT_CONNECTTIMEOUT_MS). More
    /// than 0, at most a day.
    public var connectTimeout = Duration.seconds(30)
    /// The time within which a server must begin to answer a request; 0 for any time. `nil` for
    /// `lowSpeedTime`. At most a day.
    public var firstByteTimeout: Duration?
    /// Bytes per second below which a connection counts as stalled (CURLOPT_LOW_SPEED_LIMIT). With 1 it is
    /// stalled if not a single byte comes. 0 turns it off.
    public var lowSpeedLimit: Int64 = 1
    /// The time below `lowSpeedLimit` after which a connection is closed (CURLOPT_LOW_SPEED_TIME), rounded up
    /// to whole seconds. 0 or more, at most a day.
    public var lowSpeedTime = Duration.seconds(60)
    /// The most redirects that are followed for one request. 0 or more.
    public var maxRedirects = 20
    /// True if a redirect from https to http is followed. Any machine on the way can then change the file, so
    /// give it a checksum.
    public var allowsInsecureRedirects = false

    /// Creates the default settings.
    public init() {}
}
