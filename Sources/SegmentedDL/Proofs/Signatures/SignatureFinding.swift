/// The result of the search for a document's signature.
enum SignatureFinding: Sendable, Equatable {
    /// A trusted key has signed the document; or these bytes of it, if it has text and signature in one.
    case valid(DigestProof.Signature, text: [UInt8]? = nil)
    case lacking(SignatureLack)
}
