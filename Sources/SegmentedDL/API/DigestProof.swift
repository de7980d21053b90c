/// A digest that a file was found to have, and who said that it must.
public struct DigestProof: Sendable, Hashable, Codable {
    /// The digest, as it was computed from the file's bytes.
    public var checksum: Checksum
    /// True if the request named it.
    public var isRequested: Bool
    /// The header field in which the server named it; `nil` if it did not.
    public var field: String?

    /// Creates a proof from its parts.
    public init(_ checksum: Checksum, isRequested: Bool, field: String? = nil) {
        self.checksum = checksum
        self.isRequested = isRequested
        self.field = field
    }
}
