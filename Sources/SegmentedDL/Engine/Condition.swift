/// A condition of the first request (RFC 9110, section 13.1). A server that finds it false answers 304,
/// without a body.
package enum Condition: Equatable, Sendable {
    /// The entity tag of the existing copy, as it was sent.
    case etag(String)
    /// The Last-Modified field of that copy, as it was sent.
    case lastModified(String)

    package var header: HTTPHeader {
        switch self {
        case .etag(let tag): HTTPHeader("If-None-Match", tag)
        case .lastModified(let date): HTTPHeader("If-Modified-Since", date)
        }
    }

    /// Returns true if an answer has the validator of this condition: it is the same version.
    func isConfirmed(by head: ResponseHead) -> Bool {
        switch self {
        case .etag(let tag): head["etag"].map { Self.weak($0) == Self.weak(tag) } ?? false
        case .lastModified(let date): head["last-modified"] == date
        }
    }

    /// The tag without the prefix of a weak one: If-None-Match compares without it (RFC 9110, section
    /// 13.1.2).
    private static func weak(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
