/// The causes that libcurl's codes do not tell apart.
extension EngineError {
    /// True if the host was probably mistyped: its name does not resolve, or no program listens at the port.
    ///
    /// libcurl 7.88 has one code and one text for a name that does not exist and for a name server that fails
    /// for a moment. Newer ones add the resolver's words, and a failure that says it is temporary is not
    /// counted. Without them the name counts as mistyped, because that is by far the more common.
    package var isProbablyMistyped: Bool {
        switch kind {
        case .refused: true
        case .resolve: !Self.saysTemporary(message)
        default: false
        }
    }

    /// The name of the server that could not be resolved, also behind a redirect; `nil` for other failures.
    package var unresolvedHost: String? {
        let beginning = "Could not resolve host: "
        guard kind == .resolve, message.hasPrefix(beginning) else { return nil }
        return message.dropFirst(beginning.count).split(separator: " ").first.map(String.init)
    }

    /// The cause of a failure of TLS; `nil` for other failures.
    package var tlsFault: TLSFault? { kind == .tls ? TLSFault(message) : nil }

    /// Returns the error with the server that the request was sent to.
    package func at(_ server: Origin) -> EngineError {
        var error = self
        error.server = server
        return error
    }

    /// The failure of a try that was spared, because one before it has failed so.
    var ofSparedTry: EngineError {
        var error = self
        error.isOfHostGivenUp = true
        error.reason = [detail, "as a moment ago"].compactMap(\.self).joined(separator: ", ")
        return error
    }

    /// The words of libcurl without those that name the host once more; `nil` if there are no others.
    package var detail: String? {
        if kind == .refused { return "connection refused" }
        if let reason { return reason }
        // "Could not resolve host: HOST", and with newer versions the resolver's words in brackets.
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

    /// Returns true for the words of glibc, musl and c-ares for a failure of the name server.
    private static func saysTemporary(_ text: String) -> Bool {
        let text = text.lowercased()
        return ["temporary failure", "try again", "timeout while contacting", "timed out"].contains {
            text.contains($0)
        }
    }

    /// Returns the error with the proxy that it is about, if it is about one.
    ///
    /// - Parameter server: The server that the request was for.
    func namingProxy(before server: Origin) -> EngineError {
        var error = self
        error.proxy = Self.proxy(in: message, before: server)
        return error
    }

    /// Returns the error of a setting, if no connection to the server can succeed because it is named by an
    /// address of the other IP version; `nil` if trying again may help.
    func fault(of family: Transport.AddressFamily, at server: Origin) -> EngineError? {
        guard [.connect, .resolve].contains(kind), namingProxy(before: server).proxy == nil else {
            return nil
        }
        let allowed: String
        switch family {
        case .ipv4 where server.host.hasPrefix("["): allowed = "IPv4"
        case .ipv6 where Self.isIPv4(server.host): allowed = "IPv6"
        default: return nil
        }
        var error = EngineError(
            kind: .setting, message: "only \(allowed) is allowed, and \(server.host) is another address")
        (error.advice, error.remedy) = ("allow both versions, or name another address", .addressFamily)
        return error
    }

    private static func isIPv4(_ host: String) -> Bool {
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil }
    }

    /// Returns the proxy that a message of libcurl names: it names the host that it cannot reach, and without
    /// a proxy that is the server.
    static func proxy(in message: String, before server: Origin) -> String? {
        let words = message.split(separator: " ").map(String.init)
        if words.starts(with: ["Could", "not", "resolve", "proxy:"]) { return words.dropFirst(4).first }
        // "Failed to connect to HOST port PORT after ...". Newer versions have "via PROXY" behind the port.
        guard words.starts(with: ["Failed", "to", "connect", "to"]), words.count > 6, words[5] == "port"
        else { return nil }
        if words.count > 8, words[7] == "via" { return words[8] }
        let (host, port) = (words[4], words[6])
        if port != "\(server.port)" { return "\(host):\(port)" }
        // libcurl shows a name that is not ASCII in its encoded form.
        guard server.host.utf8.allSatisfy({ $0 < 0x80 }), plain(host) != plain(server.host) else {
            return nil
        }
        return "\(host):\(port)"
    }

    /// Returns a host without what libcurl's messages leave out: brackets, a dot at the end, and a zone.
    private static func plain(_ host: String) -> String {
        var host = host.lowercased()[...]
        if host.hasPrefix("[") { host = host.dropFirst().prefix { $0 != "]" } }
        if host.hasSuffix(".") { host = host.dropLast() }
        return String(host.prefix { $0 != "%" })
    }
}
