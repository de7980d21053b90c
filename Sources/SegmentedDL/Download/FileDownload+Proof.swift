import SegmentedDLSupport
internal import SystemPackage

/// The digests that a file's publisher lists.
extension FileDownload {
    /// Returns the search for a digest of the file; `nil` if the policy is not to search, or a strong digest
    /// is known.
    ///
    /// - Parameter length: `nil` if the server does not state it.
    func proofSearch(length: Int64?, from client: SourceClient, _ expectations: Expectations) -> ProofSearch?
    {
        let policy = request.proofPolicy
        guard policy.searches, request.ifEncoded != .decode, request.credentials?.signature == nil else {
            return nil
        }
        if policy.required == nil {
            guard (length ?? 0) >= ProofSearch.minimumLength, !expectations.areStrong else { return nil }
        }
        return ProofSearch([client] + clients, proofs, configuration.retry)
    }

    /// Runs `body` and a search in parallel, and waits for the search only if a proof is required.
    ///
    /// - Parameter found: Called as soon as the search has found a digest.
    /// - Returns: The digest that was found.
    /// - Throws: The errors of `body`.
    func searching(
        _ search: ProofSearch?, found: @escaping @Sendable (PublishedDigest) -> Void,
        _ body: () async throws -> Void
    ) async throws -> PublishedDigest? {
        guard let search else {
            try await body()
            return nil
        }
        let result = Lock<PublishedDigest?>(nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                guard let digest = try await run(search) else { return }
                result.withLock { $0 = digest }
                found(digest)
            }
            try await body()
            if request.proofPolicy.required == nil { group.cancelAll() } else { try await group.waitForAll() }
        }
        return result.withLock { $0 }
    }

    /// Returns the digest that a search finds for a file that needs no transfer, if a proof is required.
    func requiredDigest(
        from client: SourceClient, _ expectations: Expectations
    ) async throws -> PublishedDigest? {
        guard request.proofPolicy.required != nil else { return nil }
        return try await proofSearch(length: nil, from: client, expectations)?.run()
    }

    private func run(_ search: ProofSearch) async throws -> PublishedDigest? {
        guard request.proofPolicy.required == nil else { return try await search.run() }
        return try await withinMaximumSilence { try await search.run() }
    }

    /// Returns the error of a file that lacks the proof that the request demands; `nil` if it has one.
    ///
    /// - Parameter kept: A clause on the fate of its bytes.
    func lack(of proofs: [DigestProof], _ path: FilePath, kept: String) -> DownloadError? {
        guard let level = request.proofPolicy.required, !proofs.contains(where: { $0.meets(level) }) else {
            return nil
        }
        let lack =
            switch level {
            case .digest: "no document beside it lists its digest"
            case .otherHost: "no other host lists its digest"
            }
        return DownloadError(
            .unproven, "\(path.shown): \(lack), but a proof is required; \(kept).",
            url: request.source.description
        ).remedied(by: .proof)
    }
}
