/// A digest of a file in a document from its publisher.
struct PublishedDigest: Sendable, Equatable {
    var checksum: Checksum
    var document: DigestProof.Document
    /// The reason why the document counts as unsigned; `nil` if it is signed, or no signature was requested.
    var unsigned: SignatureLack?
    /// False if the algorithm is unclear: a file with another digest may still be correct.
    var canRefute = true
}

/// The reason why a document counts as unsigned.
struct SignatureLack: Sendable, Equatable {
    /// A clause.
    var reason: String
    /// True if a signature claims to be by a trusted key and is not valid, or cannot be verified.
    var isNotable = false
    /// True if another request may find one soon.
    var isRetryable = false
}
