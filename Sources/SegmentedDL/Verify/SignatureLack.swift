/// The reason why a document counts as unsigned.
struct SignatureLack: Sendable, Equatable {
    /// A clause.
    var reason: String
    /// True if a signature claims to be by a trusted key, and is not.
    var isForged = false
    /// True if another request may find one soon.
    var isRetryable = false
}
