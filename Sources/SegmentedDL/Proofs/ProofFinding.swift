/// The result of a search.
enum ProofFinding: Sendable, Equatable {
    case digest(PublishedDigest)
    /// Nothing was found.
    ///
    /// - Parameters:
    ///   - reason: A clause.
    ///   - isRetryable: True if another search may soon find something.
    ///   - isUnanswered: True if the requests failed; false if a document does not list the file.
    case nothing(_ reason: String, isRetryable: Bool = false, isUnanswered: Bool = false)

    /// The digest; `nil` if none was found.
    var digest: PublishedDigest? { if case .digest(let digest) = self { digest } else { nil } }

    /// The reason why no digest was found; `nil` if one was.
    var reason: String? { if case .nothing(let reason, _, _) = self { reason } else { nil } }

    /// True if nothing was found because requests failed.
    var isUnanswered: Bool {
        if case .nothing(_, _, let isUnanswered) = self { isUnanswered } else { false }
    }

    /// True if another search may soon find a digest or its signature.
    var isRetryable: Bool {
        switch self {
        case .digest(let found): found.unsigned?.isRetryable ?? false
        case .nothing(_, let isRetryable, _): isRetryable
        }
    }
}

/// The response to the request for a document.
enum ProofAnswer: Sendable {
    case document(FetchedProof)
    /// A clause that describes the failure.
    case failed(String, isRetryable: Bool)
}
