/// The location of a small file that may be requested by pipelining.
package struct PipelinedPlace: Sendable, Equatable {
    /// The Host field (RFC 9110, section 7.2).
    let authority: String
    /// The path and query, as sent (RFC 9112, section 3.2.1).
    let target: String

    /// - Returns: `nil` for https, for which HTTP/2 serves the same purpose, and for a URL that only libcurl
    ///   can parse.
    init?(_ source: Source) {
        guard source.origin.scheme == "http", let target = RequestText.target(of: source) else { return nil }
        authority = source.origin.authority
        self.target = target
    }

    /// A URL of the host.
    var hostURL: String { "http://\(authority)/" }

    /// Returns the bytes of a request for the file.
    func request(for request: TransferRequest, userAgent: String) -> [UInt8] {
        let range = request.range.headerValue.map { [HTTPHeader("Range", "bytes=\($0)")] } ?? []
        return Array("GET \(target) HTTP/1.1\r\n".utf8)
            + RequestText.fields(request.headers + range, authority: authority, userAgent: userAgent)
            + [0x0d, 0x0a]
    }
}

/// The host has not answered a pipelined request, which must be sent normally.
struct NotPipelined: Error {
    /// True if no more requests are pipelined to the host.
    let isLasting: Bool
}
