package import SegmentedDL

/// The address at which the daemon listens.
package enum ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host or address, and a port; 0 for a free one.
    case network(host: String, port: Int)
    /// A Unix socket.
    case unix(path: String)
    /// A socket that another program has opened, such as systemd (sd_listen_fds(3)).
    case descriptor(Int32, isLocal: Bool)

    /// Reads `ADDRESS:PORT`, `[ADDRESS]:PORT`, `unix:PATH` or an absolute path.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    package init(_ text: String) throws(DownloadError) {
        if text.hasPrefix("unix:") || text.hasPrefix("/") {
            self = .unix(path: text.hasPrefix("/") ? text : String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]),
            colon != text.startIndex
        else {
            throw DownloadError(
                .invalidSetting,
                "'\(text)' is not an address to listen on; write ADDRESS:PORT, such as 127.0.0.1:6800, or unix:PATH."
            )
        }
        let host = text[..<colon]
        let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
        self = .network(host: String(isBracketed ? host.dropFirst().dropLast() : host), port: Int(port))
    }

    /// True if only programs on this machine can connect.
    package var isLocal: Bool {
        switch self {
        case .network(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
        case .unix: true
        case .descriptor(_, let isLocal): isLocal
        }
    }

    /// Returns the URL of the page; `nil` for a socket that no browser can open.
    package func page(isEncrypted: Bool = false) -> String? {
        guard case .network(let host, let port) = self else { return nil }
        let shown =
            host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "[::1]" : host.contains(":") ? "[\(host)]" : host
        return "\(isEncrypted ? "https" : "http")://\(shown):\(port)/"
    }

    package var description: String {
        switch self {
        case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .descriptor(let number, _): "descriptor \(number)"
        }
    }
}
