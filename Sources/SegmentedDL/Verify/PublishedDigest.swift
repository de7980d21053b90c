/// A digest of a file in a document of its publisher.
struct PublishedDigest: Sendable, Equatable {
    var checksum: Checksum
    var document: DigestProof.Document
}
