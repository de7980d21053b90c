/// The place of a small file that may be asked for ahead of other answers.
package struct PipelinedPlace: Sendable, Equatable {
    /// The Host field (RFC 9110, section 7.2).
    let authority: String
    /// Path and query, as they are sent (RFC 9112, section 3.2.1).
    let target: String

    /// - Returns: `nil` for https, where HTTP/2 does the same, and for a URL that only libcurl reads.
    init?(_ source: Source) {
        guard source.origin.scheme == "http", let target = RequestText.target(of: source) else { return nil }
        authority = source.origin.authority
        self.target = target
    }

    /// A URL of the host.
    var hostURL: String { "http://\(authority)/" }

    /// Returns the bytes of a request for it.
    func request(for request: TransferRequest, userAgent: String) -> [UInt8] {
        let range = request.range.headerValue.map { [HTTPHeader("Range", "bytes=\($0)")] } ?? []
        return Array("GET \(target) HTTP/1.1\r\n".utf8)
            + RequestText.fields(request.headers + range, authority: authority, userAgent: userAgent)
            + [0x0d, 0x0a]
    }
}

/// The host has not answered a request that was sent ahead of other answers: send it in the ordinary way.
struct NotPipelined: Error {
    /// True if the host gets no requests in this way any more.
    let isLasting: Bool
}
