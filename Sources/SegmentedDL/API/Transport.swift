public import SystemPackage

/// The settings of connections. The defaults are libcurl's, except those shown here.
public struct Transport: Sendable, Hashable {
    /// The IP versions to use.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum AddressFamily: Sendable, Hashable {
        /// Both; the version that connects first wins.
        case any
        /// IPv4 only.
        case ipv4
        /// IPv6 only.
        case ipv6
    }

    /// The formats of certificates and keys, with libcurl's names.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum CertificateFormat: String, Sendable, Hashable, CaseIterable {
        /// Text (RFC 7468).
        case pem = "PEM"
        /// Binary.
        case der = "DER"
        /// A certificate and its key (RFC 7292).
        case pkcs12 = "P12"
    }

    /// The schemes by which a user name and a password are sent.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Authentication: Sendable, Hashable {
        /// HTTP basic authentication (RFC 7617), with the first request. If the server refuses it and offers
        /// only digest authentication, that is used instead.
        case basic
        /// HTTP digest authentication (RFC 7616), which does not send the password. Each request costs an
        /// additional one, because the server must first send a nonce.
        case digest
        /// The most secure scheme that the server offers in response to a request without a password.
        case any
    }

    /// The scheme that sends user names and passwords of servers (CURLOPT_HTTPAUTH). Signed requests do not
    /// use it.
    public var authentication = Authentication.basic
    /// The scheme that sends the user name and password in `proxy` (CURLOPT_PROXYAUTH).
    public var proxyAuthentication = Authentication.basic
    /// The proxy's URL, as in CURLOPT_PROXY; `nil` for the usual environment variables.
    public var proxy: String?
    /// Hosts that are contacted without the proxy, separated by commas, as in CURLOPT_NOPROXY; `*` for all.
    /// `nil` for `no_proxy` in the environment.
    public var noProxy: String?
    /// A PEM file of certificate authorities to trust instead of the system's (CURLOPT_CAINFO). If it is
    /// missing or damaged, each https request fails with code `tlsFailed`.
    public var certificateAuthorities: FilePath?
    /// A file with the client's certificate (CURLOPT_SSLCERT). If it is unusable, each https request fails
    /// with code `invalidSetting`, and the message states the reason.
    public var clientCertificate: FilePath?
    /// The format of `clientCertificate` (CURLOPT_SSLCERTTYPE). A PKCS#12 file also contains the private key.
    public var clientCertificateFormat = CertificateFormat.pem
    /// A file with the client's private key (CURLOPT_SSLKEY); `nil` if it is in `clientCertificate`.
    public var clientKey: FilePath?
    /// The format of `clientKey` (CURLOPT_SSLKEYTYPE): PEM or DER.
    public var clientKeyFormat = CertificateFormat.pem
    /// The passphrase of the private key or the PKCS#12 file (CURLOPT_KEYPASSWD). There is no prompt: an
    /// encrypted key is unusable without it.
    public var clientKeyPassphrase: Passphrase?
    /// True to verify the server's certificate and host name (CURLOPT_SSL_VERIFYPEER,
    /// CURLOPT_SSL_VERIFYHOST). Keep it true.
    public var verifiesTLS = true
    /// The network interface, address or host name to send from (CURLOPT_INTERFACE).
    public var interface: String?
    /// The IP versions to use (CURLOPT_IPRESOLVE).
    public var addressFamily = AddressFamily.any
    /// Fixed addresses, each `HOST:PORT:ADDRESS` (CURLOPT_RESOLVE).
    public var resolve: [String] = []
    /// True to offer HTTP/2 to https servers for small files; false to send all requests in HTTP/1.1
    /// (CURLOPT_HTTP_VERSION).
    public var usesHTTP2 = true
    /// True to search `~/.netrc` for the credentials of each host (CURLOPT_NETRC).
    public var usesNetrc = false
    /// The file to search instead of `~/.netrc`, if `usesNetrc` is true (CURLOPT_NETRC_FILE).
    public var netrcFile: FilePath?
    /// A file of cookies in Netscape format, read once and then kept in memory (CURLOPT_COOKIEFILE).
    public var cookieFile: FilePath?
    /// True to send the cookies set by redirects on the way to a file. Without a `cookieFile`, no others are
    /// kept.
    public var sendsRedirectCookies = true
    /// The `User-Agent` header.
    public var userAgent = "SegmentedDL/\(Version.current)"
    /// The `Referer` header; like all headers of the caller, sent only to the source's host. `*` sends the
    /// URL of the source. A header of the request replaces it.
    public var referer: String?
    /// The timeout for establishing a connection, including TLS (CURLOPT_CONNECTTIMEOUT_MS). More than 0, at
    /// most a day.
    public var connectTimeout = Duration.seconds(30)
    /// The timeout for the first byte of a response; 0 for none, `nil` for `lowSpeedTime`. At most a day.
    public var firstByteTimeout: Duration?
    /// Bytes per second below which a connection counts as stalled (CURLOPT_LOW_SPEED_LIMIT). 1 means that it
    /// is stalled if no byte arrives. 0 disables the check.
    public var lowSpeedLimit: Int64 = 1
    /// The time below `lowSpeedLimit` after which a connection is closed (CURLOPT_LOW_SPEED_TIME), rounded up
    /// to whole seconds. 0 or more, at most a day.
    public var lowSpeedTime = Duration.seconds(60)
    /// The maximum number of redirects that are followed for one request. 0 or more.
    public var maxRedirects = 20
    /// True to follow redirects from https to http. Any machine on the path can then change the file, so set
    /// a checksum.
    public var allowsInsecureRedirects = false

    /// Creates the default settings.
    public init() {}
}
