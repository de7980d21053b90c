import ArgumentParser
import SegmentedDL
import SegmentedDLOptions
import SystemPackage

/// The settings of connections and retries.
struct TransportOptions: ParsableArguments {
    private static let usualRetryDelay = 0.25
    /// The maximum of the library, in seconds.
    private static let longestTime = 86_400.0

    @OptionGroup var access: AccessOptions

    @Flag(help: "Use digest authentication, which does not send the password.")
    var digest = false

    @Flag(help: "Use digest or basic authentication, as offered by the server.")
    var anyauth = false

    @Flag(help: "Search ~/.netrc for credentials.")
    var netrc = false

    @Option(
        help: ArgumentHelp("Search this file for credentials, as --netrc does.", valueName: "file"),
        completion: .file())
    var netrcFile: String?

    @Option(help: ArgumentHelp("Cookies in Netscape format.", valueName: "file"), completion: .file())
    var cookieFile: String?

    @Flag(help: "Do not send the cookies that redirects set.")
    var noCookies = false

    @Option(
        help: ArgumentHelp("The User-Agent header (default: segdl/\(Version.current)).", valueName: "text"))
    var userAgent: String?

    @Option(help: ArgumentHelp("The Referer header; * sends the URL itself.", valueName: "url"))
    var referer: String?

    @Option(
        help: ArgumentHelp("A proxy (default: from http_proxy, https_proxy, no_proxy).", valueName: "url"))
    var proxy: String?

    @Option(help: ArgumentHelp("A proxy for http URLs, instead of --proxy.", valueName: "url"))
    var httpProxy: String?

    @Option(help: ArgumentHelp("A proxy for https URLs, instead of --proxy.", valueName: "url"))
    var httpsProxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts to reach without the proxy, separated by commas; * means all (default: from no_proxy).",
            valueName: "hosts"))
    var noProxy: String?

    @Flag(help: "Like --digest, for the proxy.")
    var proxyDigest = false

    @Flag(help: "Like --anyauth, for the proxy.")
    var proxyAnyauth = false

    @Option(
        help: ArgumentHelp(
            "Certificate authorities to trust, PEM (default: from CURL_CA_BUNDLE or SSL_CERT_FILE, or the system's).",
            valueName: "file"), completion: .file())
    var cacert: String?

    @OptionGroup var client: ClientOptions

    @OptionGroup var trust: TrustOptions

    @Option(help: ArgumentHelp("The network interface or address to send from.", valueName: "name"))
    var interface: String?

    @Flag(name: .customShort("4"), help: "IPv4 only.")
    var ipv4 = false

    @Flag(name: .customShort("6"), help: "IPv6 only.")
    var ipv6 = false

    @Flag(name: .customLong("http1.1"), help: "Do not use HTTP/2.")
    var http11 = false

    @Option(
        help: ArgumentHelp(
            "Use this address for a host and port; may be repeated.", valueName: "host:port:address"))
    var resolve: [String] = []

    @Option(
        parsing: .unconditional,
        help: """
            Consecutive retries without progress before a file fails (default: 7, but 2 as long as the \
            host has not responded, and cannot be resolved or refuses connections).
            """)
    var retries: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "How long to retry beyond --retries if a host that has responded before cannot be reached (default: 120, or 0 if --retries is given, and for a queue). If it is given and not 0, downloads from a host that requests a longer delay (Retry-After) fail immediately.",
            valueName: "seconds"))
    var retryMaxTime: Double?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The delay before the first retry, which doubles with each further retry; 0 for the default.",
            valueName: "seconds"))
    var retryDelay = TransportOptions.usualRetryDelay

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum time to establish a connection; 0 for no limit.", valueName: "seconds"))
    var connectTimeout = 30.0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A connection below this for --low-speed-time counts as stalled; 0 for none (default: 1).",
            valueName: "rate"),
        transform: ByteSize.rate)
    var lowSpeedLimit = ByteSize(bytes: 1)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The time below --low-speed-limit after which a connection is closed.", valueName: "seconds"))
    var lowSpeedTime = 60

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Maximum time to wait for a response; 0 for no limit (default: --low-speed-time).",
            valueName: "seconds"))
    var firstByteTimeout: Double?

    @Option(parsing: .unconditional, help: "Maximum number of redirects for one request.")
    var maxRedirects = 20

    @Flag(help: "Follow redirects from https to http. Any machine on the path can then modify the file.")
    var insecureRedirects = false

    mutating func validate() throws {
        for entry in resolve {
            let parts = entry.split(separator: ":", maxSplits: 2)
            guard parts.count == 3, UInt16(parts[1]) != nil else {
                throw ValidationError("--resolve needs HOST:PORT:ADDRESS, not '\(entry)'.")
            }
        }
        guard retryDelay >= 0, retryDelay <= Self.longestTime else {
            throw ValidationError("--retry-delay must be 0 or more seconds, and at most a day.")
        }
        if digest, anyauth { throw ValidationError("--digest and --anyauth cannot be combined.") }
        if proxyDigest, proxyAnyauth {
            throw ValidationError("--proxy-digest and --proxy-anyauth cannot be combined.")
        }
        if noCookies, cookieFile != nil {
            throw ValidationError("--no-cookies and --cookie-file cannot be combined.")
        }
        if referer?.hasSuffix(";auto") ?? false {
            throw ValidationError(
                "--referer: ';auto', with which curl sends the URL of a redirect, is not supported; give only a URL."
            )
        }
        if ipv4, ipv6 { throw ValidationError("-4 and -6 cannot be combined.") }
        // libcurl would silently ignore the file.
        let usualNetrc = netrc && netrcFile == nil ? ProcessEnvironment.variable("HOME") : nil
        for (option, file) in [
            ("cookie-file", cookieFile), ("cacert", cacert), ("netrc-file", netrcFile),
            ("netrc", usualNetrc.map { "\($0)/.netrc" }),
        ] {
            guard let file else { continue }
            do {
                try FileDescriptor.open(FilePath(file), .readOnly).close()
            } catch {
                throw ValidationError("--\(option): cannot read '\(file)': \(error).")
            }
            if option != "cacert", let fault = PlainFile.fault(of: file, hasComments: option == "cookie-file")
            {
                throw ValidationError("--\(option): '\(file)' \(fault).")
            }
        }
        if let cacert,
            (try? FileDescriptor.open(FilePath(cacert), .readOnly, options: .directory).close()) != nil
        {
            throw ValidationError("--cacert: '\(cacert)' is a directory; specify a PEM file in it.")
        }
        try client.check()
        if let cookieFile, !CookieFile.isUsable(cookieFile) {
            throw ValidationError(
                "--cookie-file: '\(cookieFile)' contains no cookies in Netscape format, and no Set-Cookie lines."
            )
        }
    }

    func apply(to configuration: inout Configuration) {
        var transport = Transport()
        transport.authentication = digest ? .digest : anyauth ? .any : .basic
        transport.proxyAuthentication = proxyDigest ? .digest : proxyAnyauth ? .any : .basic
        transport.proxy = proxyVariables.isEmpty ? proxy : nil
        transport.noProxy = noProxy
        transport.certificateAuthorities = Self.authorities(cacert, ProcessEnvironment.variable)
        client.apply(to: &transport)
        transport.verifiesTLS = !trust.insecure
        transport.interface = interface
        transport.addressFamily = ipv4 ? .ipv4 : ipv6 ? .ipv6 : .any
        transport.resolve = resolve
        transport.usesHTTP2 = !http11
        transport.usesNetrc = netrc || netrcFile != nil
        transport.netrcFile = netrcFile.map { FilePath($0) }
        transport.cookieFile = cookieFile.map { FilePath($0) }
        transport.sendsRedirectCookies = !noCookies
        // libcurl sends no header if it is empty.
        let sendsAgent = !access.leavesOut("user-agent")
        transport.userAgent = sendsAgent ? userAgent ?? "segdl/\(Version.current)" : ""
        transport.referer = access.leavesOut("referer") ? nil : referer
        transport.connectTimeout = .bounded(seconds: connectTimeout == 0 ? Self.longestTime : connectTimeout)
        transport.lowSpeedLimit = lowSpeedLimit.bytes
        transport.lowSpeedTime = .seconds(lowSpeedTime)
        transport.firstByteTimeout = firstByteTimeout.map { .bounded(seconds: $0) }
        transport.maxRedirects = maxRedirects
        transport.allowsInsecureRedirects = insecureRedirects
        configuration.transport = transport
        if let retries {
            configuration.retry.retries = retries
            configuration.retry.retriesAtStart = nil
            configuration.retry.longestOutage = .zero
        }
        if let retryMaxTime { configuration.retry.longestOutage = .bounded(seconds: retryMaxTime) }
        configuration.retry.longestRequestedWait = retryMaxTime.flatMap {
            $0 > 0 ? .bounded(seconds: $0) : nil
        }
        configuration.retry.delay = .bounded(seconds: retryDelay == 0 ? Self.usualRetryDelay : retryDelay)
        configuration.retry.longestDelay = max(configuration.retry.longestDelay, configuration.retry.delay)
    }

    /// The variables that libcurl must read if there is a proxy for one scheme; empty if there is none.
    var proxyVariables: [String: String] {
        guard httpProxy != nil || httpsProxy != nil else { return [:] }
        return ["http_proxy": httpProxy ?? proxy, "https_proxy": httpsProxy ?? proxy].compactMapValues(\.self)
    }

    /// Returns the file of certificate authorities, by curl's rules. An empty variable counts as unset.
    static func authorities(_ cacert: String?, _ environment: (String) -> String?) -> FilePath? {
        let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap(environment)
        return (cacert ?? variables.first { !$0.isEmpty }).map { FilePath($0) }
    }

    var headers: [HTTPHeader] { access.headers }

    var credentials: Credentials? { access.credentials }
}
