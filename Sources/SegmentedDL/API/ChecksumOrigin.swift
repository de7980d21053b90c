/// The origin of a request's digests, if neither a person nor a program supplied them directly.
package enum ChecksumOrigin: String, Sendable, Codable, CaseIterable {
    /// A list of checksums, such as `SHA256SUMS` or `FILE.sha256`.
    case list
    /// A Metalink file (RFC 5854).
    case metalink
}
