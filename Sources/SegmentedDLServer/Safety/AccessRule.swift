/// The rule that blocks the pages of other sites: the allowed hosts in requests, and the allowed origins.
///
/// A page whose own host name resolves to this machine (DNS rebinding) sends that name as Host. A page of
/// another site sends its Origin; browsers do not prevent it from opening a WebSocket.
package struct AccessRule: Sendable {
    /// Allowed hosts in addition to addresses and `localhost`, in lower case.
    package var hosts: Set<String> = []
    /// Allowed origins in addition to the daemon's own and those of extensions, in lower case.
    package var origins: Set<String> = []
    /// True to allow any page.
    package var allowsAllOrigins = false

    package init() {}

    /// Returns the response that refuses a request; `nil` if it is allowed.
    package func refusal(of request: HTTPRequest) -> HTTPAnswer? {
        guard let host = request.value("host"), allows(host: host) else {
            return .text(
                403,
                "segdl serve accepts requests for addresses and localhost; for another name of this machine, start it with --rpc-host NAME."
            )
        }
        switch request.values("origin") {
        case []: return nil
        case let origins where origins.count == 1 && allows(origin: origins[0], host: host): return nil
        default:
            return .text(
                403,
                "Pages of other sites may not call this daemon; to allow one, start it with --rpc-allow-origin ORIGIN."
            )
        }
    }

    /// Returns the fields that allow a page of another origin to read the response (Fetch standard, 3.2).
    package func sharing(with request: HTTPRequest) -> [(name: String, value: String)] {
        guard let origin = request.value("origin") else { return [] }
        var fields = [("Access-Control-Allow-Origin", origin), ("Vary", "Origin")]
        if request.method == "OPTIONS" {
            fields += [
                ("Access-Control-Allow-Methods", "POST, GET, PATCH, OPTIONS"),
                ("Access-Control-Allow-Headers", "Content-Type, Authorization"),
                ("Access-Control-Allow-Private-Network", "true"), ("Access-Control-Max-Age", "600"),
            ]
        }
        return fields
    }

    func allows(host: String) -> Bool {
        guard let name = Self.name(ofHost: host.lowercased()) else { return false }
        return name == "localhost" || Self.isAddress(name) || hosts.contains(name)
    }

    func allows(origin: String, host: String) -> Bool {
        let origin = origin.lowercased()
        guard !allowsAllOrigins, !origins.contains(origin) else { return true }
        let parts = origin.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//") else { return false }
        switch parts[0] {
        case "chrome-extension", "moz-extension", "safari-web-extension": return true
        case "http", "https": return parts[1].dropFirst(2) == host.lowercased()
        default: return false
        }
    }

    /// Returns a Host field's name without its port (RFC 9110, 7.2); `nil` if it is malformed.
    private static func name(ofHost host: String) -> String? {
        let name: Substring
        let rest: Substring
        if host.hasPrefix("[") {
            guard let end = host.firstIndex(of: "]") else { return nil }
            name = host[...end]
            rest = host[host.index(after: end)...]
        } else {
            let colon = host.firstIndex(of: ":") ?? host.endIndex
            name = host[..<colon]
            rest = host[colon...]
        }
        guard rest.isEmpty || rest.first == ":" && rest.dropFirst().allSatisfy(\.isASCIIDigit) else {
            return nil
        }
        return name.isEmpty ? nil : String(name)
    }

    /// Returns true for an IPv4 address, or an IPv6 address in brackets: browsers do not resolve these, so no
    /// site can make them refer to this machine.
    private static func isAddress(_ name: String) -> Bool {
        if name.hasPrefix("[") {
            let inner = name.dropFirst().dropLast()
            return inner.count { $0 == ":" } >= 2
                && inner.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
        }
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { $0.allSatisfy(\.isASCIIDigit) && UInt8($0) != nil }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
