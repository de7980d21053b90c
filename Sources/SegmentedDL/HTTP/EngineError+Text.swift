// The messages for failures below HTTP, following the rule in `TransferFailure+Text.swift`.

extension EngineError {
    package var code: DownloadError.Code {
        switch kind {
        case .resolve: .cannotResolve
        case .connect, .refused, .lost, .truncated, .other, .proxyRefused: .connectionFailed
        case .tls: .tlsFailed
        case .timeout: .timedOut
        case .badResponse: .badResponse
        case .setting: .invalidSetting
        }
    }

    /// True if the request will keep failing in the same way until a setting changes.
    var isOfSettings: Bool { kind == .setting || kind == .tls }

    /// True if retrying does not help.
    var isFinal: Bool { isOfSettings || mostRetries == 0 }

    /// True for a response without a status line, which libcurl takes for HTTP/0.9. libcurl does not report
    /// the first bytes, which would identify the protocol.
    private var lacksStatusLine: Bool { kind == .badResponse && message.contains("HTTP/0.9") }

    /// The setting that helps.
    var settingRemedy: DownloadError.Remedy? { remedy ?? tlsFault?.remedy }

    /// Returns the failure as a clause without a full stop.
    package func explained(for source: Source) -> String {
        let server = server ?? source.origin
        let peer = proxy.map { "the proxy \($0)" } ?? server.description
        let detail = detail.map { " (\($0))" } ?? ""
        return switch kind {
        case .resolve where proxy != nil: "\(peer) cannot be resolved\(detail)"
        case .resolve: "the host '\(server.host)' cannot be resolved\(detail)"
        case .connect where isOfSOCKS: "the SOCKS proxy made no connection to \(server)\(detail)"
        case .connect, .refused: "no connection to \(peer)\(detail)"
        case .tls: tlsFault?.clause(at: server, message) ?? "TLS with \(server) failed\(detail)"
        case .timeout: "\(peer) did not respond in time\(detail)"
        case .lost, .truncated: "the connection to \(server) was lost\(detail)"
        case .badResponse where lacksStatusLine:
            "\(server) sent data that does not begin like an HTTP/1 response; the port may be for \(server.scheme == "http" ? "https, " : "")HTTP/2 only, or another protocol"
        case .badResponse where advice != nil: "\(server): \(message)"
        case .badResponse: "\(server) sent an invalid response\(detail)"
        case .setting where advice != nil: message
        case .setting: "a setting was refused\(detail)"
        case .other, .proxyRefused: "the transfer from \(server) failed\(detail)"
        }
    }

    /// Returns the error for a body that cannot be decoded although no coding was asked for, such as a
    /// transfer coding (RFC 9112, section 7).
    var ofUnaskedCoding: EngineError {
        var error = self
        error.message = "its body is in a coding that was not asked for, and cannot be decoded"
        (error.advice, error.remedy) = ("ask the server's operator, or use another URL", nil)
        return error
    }

    /// Returns the advice as a clause.
    func advised(_ circumstances: Circumstances) -> String {
        if let advice = advice ?? tlsFault?.advice { return advice }
        if isOfSettings { return "check the settings" }
        // A proxy may also be silent because it waits for the server.
        if proxy != nil, kind == .timeout {
            return "check the address and the scheme of the proxy, or try again later"
        }
        if proxy != nil { return "check the address of the proxy" }
        if isOfSOCKS, isFinal { return "check the settings of the proxy" }
        return switch kind {
        case .badResponse where lacksStatusLine:
            circumstances.advice(otherwise: "check the scheme and the port")
        case .resolve: circumstances.advice(otherwise: "check the name, or the network")
        case .connect where isOfSOCKS: circumstances.advice(otherwise: "check the host and the port")
        case .refused: circumstances.advice(otherwise: "check the host and the port")
        default: circumstances.advice()
        }
    }
}

extension TLSFault {
    fileprivate func clause(at server: Origin, _ message: String) -> String? {
        switch self {
        case .certificateRequired: "\(server) requires a client certificate (\(message))"
        case .certificateRefused:
            "\(server) refuses the client certificate, or requires one (\(message))"
        case .unknownName: "\(server) does not recognize this name (\(message))"
        default: nil
        }
    }

    fileprivate var advice: String {
        switch self {
        case .plainHTTP:
            "the server probably speaks plain HTTP at this port: try http:// instead of https://"
        case .certificateRequired: "give one"
        case .certificateRefused: "give one that it accepts"
        case .handshakeRefused:
            "it may require a client certificate, or a TLS version or cipher that is not supported here"
        case .nothingInCommon:
            "the server has no TLS version or cipher in common with this machine: ask the server's operator, or use another URL"
        case .unknownName, .otherHost: "check the host in the URL"
        case .outOfDate:
            "check this machine's clock; if it is correct, the server's operator must renew the certificate"
        case .untrusted: "if you trust the server, specify the authority that signed its certificate"
        case .authorities: "install the package ca-certificates, or specify another file"
        case .revoked, .other: "use another URL, or ask the server's operator"
        }
    }

    fileprivate var remedy: DownloadError.Remedy? {
        switch self {
        case .certificateRequired, .certificateRefused, .handshakeRefused: .clientCertificate
        case .untrusted, .authorities: .certificateAuthorities
        default: nil
        }
    }
}
