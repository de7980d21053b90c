/// Causes that libcurl's codes do not distinguish.
extension EngineError {
    /// True if the host was probably mistyped: its name does not resolve, or nothing listens on the port. A
    /// SOCKS proxy may report either.
    ///
    /// libcurl 7.88 reports a nonexistent name and a temporarily failing name server with the same code and
    /// text. Newer versions add the resolver's text; a failure that it describes as temporary does not count.
    /// Without that text the name is assumed to be mistyped, which is by far the more common case.
    package var isProbablyMistyped: Bool {
        switch kind {
        case .refused: true
        case .resolve: !Self.saysTemporary(message)
        case .connect:
            isOfSOCKS && (message.contains("complete SOCKS") || Self.isUnresolved(bySOCKS: message))
        default: false
        }
    }

    /// The host name that could not be resolved, even after a redirect; `nil` for other failures.
    package var unresolvedHost: String? {
        let beginning = "Could not resolve host: "
        guard kind == .resolve, message.hasPrefix(beginning) else { return nil }
        return message.dropFirst(beginning.count).split(separator: " ").first.map(String.init)
    }

    /// The cause of a TLS failure; `nil` for other failures.
    package var tlsFault: TLSFault? { kind == .tls ? TLSFault(message) : nil }

    /// Returns the error with the server to which the request was sent.
    package func at(_ server: Origin) -> EngineError {
        var error = self
        error.server = server
        return error
    }

    /// The error for an attempt that was skipped because a previous one failed in this way.
    var ofSparedTry: EngineError {
        var error = self
        error.isOfHostGivenUp = true
        error.reason = [detail, "as on the previous attempt"].compactMap(\.self).joined(separator: ", ")
        return error
    }

    /// libcurl's text without the part that repeats the host; `nil` if nothing remains.
    package var detail: String? {
        if isOfSOCKS { return message.hasSuffix(".") ? String(message.dropLast()) : message }
        if kind == .refused { return "connection refused" }
        if let reason { return reason }
        // "Could not resolve host: HOST", and in newer versions the resolver's text in parentheses.
        if kind == .resolve, message.hasPrefix("Could not resolve ") {
            guard let start = message.firstIndex(of: "("), message.hasSuffix(")") else { return nil }
            return String(message[start...].dropFirst().dropLast())
        }
        // "Failed to connect to HOST port PORT after N ms: REASON".
        if message.hasPrefix("Failed to connect to "), let end = message.firstRange(of: " ms: ") {
            return String(message[end.upperBound...])
        }
        return message
    }

    /// Returns true for the messages of glibc, musl and c-ares about a failing name server.
    private static func saysTemporary(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["temporary failure", "try again", "timeout while contacting", "timed out"].contains {
            text.contains($0)
        }
    }

    /// Returns true if this machine could not resolve a name for a SOCKS proxy that resolves none itself.
    private static func isUnresolved(bySOCKS text: String) -> Bool {
        text.hasPrefix("Could not resolve host: ") || text.hasPrefix("Failed to resolve ")
    }

    /// Returns the advice about a failure of a SOCKS proxy; `nil` for the usual one.
    static func advice(ofSOCKS text: String) -> String? {
        guard isUnresolved(bySOCKS: text) else { return nil }
        return
            "check the name, or let the proxy resolve it: its URL then begins with socks5h:// or socks4a://"
    }

    /// Returns the error with the proxy that it concerns, if any.
    ///
    /// - Parameter server: The server to which the request was addressed.
    func namingProxy(before server: Origin) -> EngineError {
        var error = self
        error.proxy = Self.proxy(in: message, before: server) ?? proxy
        return error
    }

    /// Returns an error of the setting if no connection to the server can succeed because its address is of
    /// the other IP version; `nil` if a retry may help.
    func fault(of family: Transport.AddressFamily, at server: Origin) -> EngineError? {
        guard [.connect, .resolve].contains(kind), !isOfSOCKS, namingProxy(before: server).proxy == nil
        else { return nil }
        let allowed: String
        switch family {
        case .ipv4 where server.host.hasPrefix("["): allowed = "IPv4"
        case .ipv6 where Self.isIPv4(server.host): allowed = "IPv6"
        default: return nil
        }
        var error = EngineError(
            kind: .setting, message: "only \(allowed) is allowed, and \(server.host) is another address")
        (error.advice, error.remedy) = ("allow both versions, or specify another address", .addressFamily)
        return error
    }

    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Returns the proxy named in a libcurl message. libcurl names the host it could not reach; without a
    /// proxy that is the server.
    static func proxy(in message: String, before server: Origin) -> String? {
        let words = message.split(separator: " ").map(String.init)
        if words.starts(with: ["Could", "not", "resolve", "proxy:"]) { return words.dropFirst(4).first }
        // Also the name of a SOCKS proxy.
        if words.starts(with: ["Could", "not", "resolve", "host:"]), words.count > 4 {
            return isSame(words[4], server) ? nil : words[4]
        }
        // "Failed to connect to HOST port PORT after ...". Newer versions append "via PROXY" to the port.
        guard words.starts(with: ["Failed", "to", "connect", "to"]), words.count > 6, words[5] == "port"
        else { return nil }
        if words.count > 8, words[7] == "via" { return words[8] }
        let (host, port) = (words[4], words[6])
        if port != "\(server.port)" { return "\(host):\(port)" }
        return isSame(host, server) ? nil : "\(host):\(port)"
    }

    /// Returns true if a host in a libcurl message may be that of the server.
    private static func isSame(_ host: String, _ server: Origin) -> Bool {
        // libcurl shows a non-ASCII name in its encoded form.
        !server.host.utf8.allSatisfy { $0 < 0x80 } || plain(host) == plain(server.host)
    }

    /// Returns a host without the parts that libcurl's messages omit: brackets, a trailing dot, and a zone.
    private static func plain(_ host: String) -> String {
        var host = host.lowercased()[...]
        if host.hasPrefix("[") { host = host.dropFirst().prefix { $0 != "]" } }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host.prefix { $0 != "%" })
    }
}
