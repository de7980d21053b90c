internal import CSegCurl
internal import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

extension Transport {
    /// The maximum number of requests of one transfer, each with a different nonce.
    private static let maximumAuthenticationRounds = 10

    /// The maximum number of bytes that libcurl reads at once.
    static let largestReadBuffer = 256 * 1024

    /// Returns the maximum size of a read by libcurl (CURLOPT_BUFFERSIZE). Large reads save system calls.
    /// With hundreds of connections, however, each read returns few bytes, and the cost of touching more
    /// memory exceeds that of a call.
    private static func readBuffer(among transfers: Int) -> Int {
        transfers < 64 ? largestReadBuffer : 64 * 1024
    }

    /// - Parameter transfers: The number of other transfers.
    static func setReadBuffer(of easy: UnsafeMutableRawPointer, among transfers: Int) {
        seg_set_long(easy, CURLOPT_BUFFERSIZE, readBuffer(among: transfers))
    }

    /// Sets the options common to all transfers on a new handle.
    func apply(to easy: UnsafeMutableRawPointer, share: UnsafeMutableRawPointer?) {
        seg_set_long(easy, CURLOPT_NOSIGNAL, 1)
        seg_set_long(easy, CURLOPT_NOPROGRESS, 1)
        seg_set_string(easy, CURLOPT_PROTOCOLS_STR, "http,https")
        seg_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
        // The caller follows redirects, because it decides which header fields are sent to another host.
        seg_set_long(easy, CURLOPT_FOLLOWLOCATION, 0)
        // libcurl counts its own requests with another nonce as redirects.
        seg_set_long(easy, CURLOPT_MAXREDIRS, Self.maximumAuthenticationRounds)
        seg_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        seg_set_long(easy, CURLOPT_TCP_KEEPALIVE, 1)
        seg_set_pointer(easy, CURLOPT_SHARE, share)

        seg_set_long(easy, CURLOPT_CONNECTTIMEOUT_MS, Int((connectTimeout.seconds * 1000).rounded(.up)))
        seg_set_long(easy, CURLOPT_LOW_SPEED_TIME, lowSpeedLimit > 0 ? lowSpeedTime.wholeSeconds : 0)
        seg_set_string(easy, CURLOPT_USERAGENT, userAgent)
        seg_set_string(easy, CURLOPT_INTERFACE, interface)
        seg_set_long(easy, CURLOPT_IPRESOLVE, ipResolve)
        seg_set_long(
            easy, CURLOPT_NETRC,
            Int((usesNetrc ? CURL_NETRC_OPTIONAL : CURL_NETRC_IGNORED).rawValue))
        if let netrcFile { seg_set_string(easy, CURLOPT_NETRC_FILE, netrcFile.string) }
        seg_set_long(easy, CURLOPT_HTTPAUTH, authentication.flags)
        seg_set_long(easy, CURLOPT_PROXYAUTH, proxyAuthentication.flags)
        if let proxy { seg_set_string(easy, CURLOPT_PROXY, HostName.asciiHost(ofProxy: proxy)) }
        if let noProxy { seg_set_string(easy, CURLOPT_NOPROXY, noProxy) }
        if let certificateAuthorities {
            seg_set_string(easy, CURLOPT_CAINFO, certificateAuthorities.string)
        }
        seg_set_string(easy, CURLOPT_SSLCERT, clientCertificate?.string)
        seg_set_string(easy, CURLOPT_SSLKEY, clientKey?.string)
        if clientCertificate != nil {
            seg_set_string(easy, CURLOPT_SSLCERTTYPE, clientCertificateFormat.rawValue)
            seg_set_string(easy, CURLOPT_SSLKEYTYPE, clientKeyFormat.rawValue)
            // Without a passphrase, OpenSSL would prompt for that of an encrypted key on the terminal.
            seg_set_string(easy, CURLOPT_KEYPASSWD, clientKeyPassphrase?.text ?? "")
        }
        seg_set_long(easy, CURLOPT_SSL_VERIFYPEER, verifiesTLS ? 1 : 0)
        seg_set_long(easy, CURLOPT_SSL_VERIFYHOST, verifiesTLS ? 2 : 0)
        if let cookieFile { seg_set_string(easy, CURLOPT_COOKIEFILE, cookieFile.string) }
    }

    private var ipResolve: Int {
        switch addressFamily {
        case .any: Int(CURL_IPRESOLVE_WHATEVER)
        case .ipv4: Int(CURL_IPRESOLVE_V4)
        case .ipv6: Int(CURL_IPRESOLVE_V6)
        }
    }
}

extension Transport {
    /// True if libcurl may itself respond to a refusal by sending another request.
    var negotiates: Bool { authentication != .basic || proxyAuthentication != .basic }
}

extension Transport.Authentication {
    /// The bits of CURLOPT_HTTPAUTH.
    var flags: Int {
        switch self {
        case .basic: seg_auth_basic()
        case .digest: seg_auth_digest()
        case .any: seg_auth_basic() | seg_auth_digest()
        }
    }
}
