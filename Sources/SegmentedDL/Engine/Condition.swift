/// The precondition of the first request (RFC 9110, section 13.1). If it is false, the server responds with
/// 304 and no body.
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

    /// Returns true if a response has the validator of this condition, that is, if the version is the same.
    func isConfirmed(by head: ResponseHead) -> Bool {
        switch self {
        case .etag(let tag): head["etag"].map { Self.weak($0) == Self.weak(tag) } ?? false
        case .lastModified(let date): head["last-modified"] == date
        }
    }

    /// The tag without the prefix of a weak one, because If-None-Match uses weak comparison (RFC 9110,
    /// section 13.1.2).
    private static func weak(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
