/// A digest of a file in a document of its publisher.
struct PublishedDigest: Sendable, Equatable {
    var checksum: Checksum
    var document: DigestProof.Document
    /// The reason why the document counts as unsigned; `nil` if it is signed, or no signature was requested.
    var unsigned: SignatureLack?
}
