/// A digest of a file in a document that its publisher offers.
struct PublishedDigest: Sendable, Equatable {
    var checksum: Checksum
    var document: DigestProof.Document
}
