/// The result of a search.
enum ProofFinding: Sendable, Equatable {
    case digest(PublishedDigest)
    /// Nothing was found; a clause states the reason.
    case nothing(String)

    /// The digest; `nil` if none was found.
    var digest: PublishedDigest? { if case .digest(let digest) = self { digest } else { nil } }

    /// The reason why no digest was found; `nil` if one was.
    var reason: String? { if case .nothing(let reason) = self { reason } else { nil } }
}

/// The answer to the request for a document.
enum ProofAnswer: Sendable {
    case document(FetchedProof)
    /// A clause on the failure.
    case failed(String)
}
