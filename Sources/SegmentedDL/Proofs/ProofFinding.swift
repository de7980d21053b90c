/// The result of a search.
enum ProofFinding: Sendable, Equatable {
    case digest(PublishedDigest)
    /// Nothing was found; a clause states the reason.
    case nothing(String, isRetryable: Bool = false)

    /// The digest; `nil` if none was found.
    var digest: PublishedDigest? { if case .digest(let digest) = self { digest } else { nil } }

    /// The reason why no digest was found; `nil` if one was.
    var reason: String? { if case .nothing(let reason, _) = self { reason } else { nil } }

    /// True if another search may soon find a digest or its signature.
    var isRetryable: Bool {
        switch self {
        case .digest(let found): found.unsigned?.isRetryable ?? false
        case .nothing(_, let isRetryable): isRetryable
        }
    }
}

/// The response to the request for a document.
enum ProofAnswer: Sendable {
    case document(FetchedProof)
    /// A clause that describes the failure.
    case failed(String, isRetryable: Bool)
}
