internal import CSegCurl
internal import SystemPackage

extension EngineError {
    /// Creates the failure that corresponds to libcurl's result.
    ///
    /// - Parameters:
    ///   - detail: The CURLOPT_ERRORBUFFER, which is empty if libcurl has nothing to add.
    ///   - tunnelStatus: The status of the proxy's response to CONNECT (CURLINFO_HTTP_CONNECTCODE); 0 for
    ///     none.
    ///   - systemError: The `errno` of the last connection that failed (CURLINFO_OS_ERRNO); 0 for none.
    init(
        _ result: CURLcode, detail: UnsafePointer<CChar>, tunnelStatus: Int = 0, systemError: Int = 0
    ) {
        let text = String(cString: detail)
        var kind =
            result == CURLE_SSL_CONNECT_ERROR ? Self.kind(ofHandshake: text) : Self.kind(of: result)
        // In TLS 1.3, a server that refuses the client reports this after the handshake.
        if kind == .lost, TLSFault.isLastingAlert(text) { kind = .tls }
        let cause = Errno(rawValue: CInt(truncatingIfNeeded: systemError))
        if result == CURLE_COULDNT_CONNECT, cause == .connectionRefused { kind = .refused }
        if tunnelStatus >= 300 { kind = .proxyRefused(status: tunnelStatus) }
        if Self.isUnreadable(text) { kind = .badResponse }
        // libcurl reports it like a connection that failed, or like an unknown name.
        let isProxyUnusable = text.hasPrefix("Unsupported proxy ")
        if isProxyUnusable { kind = .setting }
        let message = text.isEmpty ? String(cString: curl_easy_strerror(result)) : text
        let hint = result == CURLE_SSL_CACERT_BADFILE ? Self.authoritiesHint : Self.hint(text)
        self.init(
            kind: kind,
            message: isProxyUnusable ? Self.unusableProxy(text) : Self.withoutSecrets(message) + hint)
        if isProxyUnusable { advice = "use one such as http://HOST:PORT or socks5h://HOST:PORT" }
        if let tlsFault { advice = Self.advice(about: tlsFault, behindTunnel: tunnelStatus) }
        isOfSOCKS = result == CURLE_PROXY
        if isOfSOCKS {
            advice = Self.advice(ofSOCKS: text)
            if Self.isLastingRefusal(ofSOCKS: text) { mostRetries = 0 }
        }
        if kind == .badResponse { mostRetries = Self.retriesOfUnreadable }
        if kind == .connect, systemError != 0 { reason = cause.description }
        endsConnection =
            self.kind != .badResponse
            && [CURLE_GOT_NOTHING, CURLE_RECV_ERROR, CURLE_SEND_ERROR].contains(result)
        if result == CURLE_SSL_CERTPROBLEM {
            (advice, remedy) = ("check the client's certificate and its key", .clientCertificate)
        }
        if result == CURLE_INTERFACE_FAILED {
            (advice, remedy) = ("check the name of the interface or address to send from", .interface)
        }
    }

    /// Returns the advice about a TLS failure that the proxy may have caused, because it answers CONNECT with
    /// a page of its own; `nil` for any other.
    static func advice(about fault: TLSFault, behindTunnel status: Int) -> String? {
        guard fault == .plainHTTP, (200..<300).contains(status) else { return nil }
        return
            "the proxy may have answered by itself, or the server may speak plain HTTP at this port: check the address of the proxy, and the port"
    }

    /// Returns the message about a proxy whose URL libcurl refuses.
    private static func unusableProxy(_ text: String) -> String {
        let shown = withoutSecrets(text)
        // A password in a URL without a scheme is not removed.
        return "the proxy's URL cannot be used" + (shown.contains("@") ? "" : " (\(shown))")
    }

    /// Returns true if a SOCKS proxy refuses the client, or connections to this server (RFC 1928, sections 3
    /// and 6), or does not speak SOCKS. Its other failures are those of its own connection to the server.
    static func isLastingRefusal(ofSOCKS text: String) -> Bool {
        let ofClient = [
            " authentication method", "User was rejected", "invalid version", "wrong version",
            " not supported",
            " identd ",
        ]
        return ofClient.contains { text.contains($0) }
            || ["(2)", "(7)", "(8)"].contains { text.hasSuffix($0) }
    }

    /// A server that sends something other than HTTP usually does so again, but not always.
    static let retriesOfUnreadable = 2

    /// The error for a head that libcurl accepts, but that does not determine what its body is.
    ///
    /// - Parameter what: The contradiction, as a clause or a noun.
    static func malformed(_ what: String) -> EngineError {
        var error = EngineError(kind: .badResponse, message: what)
        error.mostRetries = retriesOfUnreadable
        return error
    }

    /// The error for a head, or a field of it, that exceeds the limit of libcurl or this program.
    static var longHead: EngineError {
        var error = EngineError(
            kind: .badResponse,
            message: "its head exceeds \(longestHeadBytes / 1024) KiB, or one of its fields exceeds 100 KiB")
        error.advice = "ask the server's operator, or use another URL"
        error.mostRetries = retriesOfUnreadable
        return error
    }

    /// The maximum size of a head, in bytes. libcurl has the same limit (`MAX_HTTP_RESP_HEADER_SIZE`) since
    /// version 8.3, and in older versions with the patch for CVE-2023-38039.
    static let longestHeadBytes = 300 * 1024

    /// The error for a body in a coding that libcurl began to decode but could not finish decoding. libcurl
    /// supports only the first of several gzip members.
    static var undecoded: EngineError {
        var error = EngineError(
            kind: .badResponse,
            message:
                "its compressed body cannot be decoded; it has several parts, trailing bytes, or an error"
        )
        error.mostRetries = 0
        (error.advice, error.remedy) = ("fetch it without decoding", .undecodedContent)
        return error
    }

    /// Returns true for a message about bytes that are not HTTP. libcurl reports them with the codes of lost
    /// connections and of invalid arguments. The message is "Illegal or missing hexadecimal sequence in
    /// chunked-encoding", or in newer versions "chunk hex-length char not a hex digit".
    static func isUnreadable(_ text: String) -> Bool {
        ["chunked-encod", "chunk hex-length", "invalid chunk"].contains { text.contains($0) }
    }

    private static let authoritiesHint =
        "; the file of certificate authorities is missing or damaged"

    /// Returns a hint that libcurl's message lacks: a TLS server that supports only HTTP/2 refuses HTTP/1.1
    /// in this way.
    static func hint(_ text: String) -> String {
        text.contains("no application protocol") ? "; it may support only HTTP/2" : ""
    }

    /// Removes user information from a message, because libcurl quotes a proxy's URL with it.
    package static func withoutSecrets(_ text: String) -> String {
        var result = text[...].unicodeScalars.prefix(0)
        var rest = text[...].unicodeScalars
        while let colon = rest.firstIndex(of: ":") {
            var next = rest.index(after: colon)
            if rest[next...].starts(with: "//".unicodeScalars) {
                next = rest.index(next, offsetBy: 2)
                let word = rest[next...].prefix { $0 != " " && $0 != "'" && $0 != "\"" }
                let kept = word.lastIndex(of: "@").map { rest.index(after: $0) } ?? next
                result += rest[..<next]
                rest = rest[kept...]
            } else {
                result += rest[..<next]
                rest = rest[next...]
            }
        }
        return String(result + rest)
    }

    /// Distinguishes a connection that was lost during the TLS handshake, which is treated like any other
    /// lost connection, from an error of TLS itself. libcurl has one result for both. OpenSSL's text for the
    /// latter is `error:CODE:library:function:reason`.
    package static func kind(ofHandshake detail: String) -> Kind {
        let isEnd = detail.contains("unexpected eof")
        return detail.contains("error:") && !isEnd ? .tls : .connect
    }

    private static func kind(of result: CURLcode) -> Kind {
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY:
            .resolve
        case CURLE_COULDNT_CONNECT, CURLE_PROXY:
            .connect
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CACERT_BADFILE,
            CURLE_USE_SSL_FAILED:
            .tls
        case CURLE_OPERATION_TIMEDOUT:
            .timeout
        case CURLE_PARTIAL_FILE:
            .truncated
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM:
            .lost
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
            CURLE_WRITE_ERROR:
            .badResponse
        case CURLE_INTERFACE_FAILED, CURLE_SSL_CERTPROBLEM, CURLE_BAD_FUNCTION_ARGUMENT,
            CURLE_URL_MALFORMAT, CURLE_SETOPT_OPTION_SYNTAX:
            .setting
        default:
            .other
        }
    }
}
