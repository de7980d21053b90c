/// A condition of the first request (RFC 9110, section 13.1). A server that finds it false answers 304,
/// without a body.
package enum Condition: Equatable, Sendable {
    /// The entity tag of the copy that is there, as it was sent.
    case etag(String)
    /// The Last-Modified field of that copy, as it was sent.
    case lastModified(String)

    package var header: HTTPHeader {
        switch self {
        case .etag(let tag): HTTPHeader("If-None-Match", tag)
        case .lastModified(let date): HTTPHeader("If-Modified-Since", date)
        }
    }
}
