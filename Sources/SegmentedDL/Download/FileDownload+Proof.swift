internal import Logging
import SegmentedDLSupport
internal import SystemPackage

/// The digests published for a file.
extension FileDownload {
    /// Returns the search for a digest of the file; `nil` if the policy forbids it, or a strong digest is
    /// known.
    ///
    /// - Parameters:
    ///   - length: `nil` if the server does not state it.
    ///   - hasEarlierBytes: True if an earlier run has received bytes of the file.
    func proofSearch(
        length: Int64?, from client: SourceClient, _ expectations: Expectations, hasEarlierBytes: Bool
    ) -> ProofSearch? {
        let policy = request.proofPolicy
        guard policy.searches, request.ifEncoded == .fail, request.credentials?.signature == nil else {
            return nil
        }
        // A known digest is not signed, and its host may be the file's.
        let needsDocument =
            policy.required == .otherHost && !expectations.areStrongOfOtherHost
            || policy.required == .signature
        guard needsDocument || !expectations.areStrong || !policy.keys.isEmpty,
            policy.required != nil || (length ?? 0) >= ProofSearch.minimumLength
        else { return nil }
        return ProofSearch(
            [client] + clients, proofs, configuration.retry, keys: policy.keys,
            releaseAccess: configuration.releaseAccess(), isRequired: policy.required != nil,
            hasEarlierBytes: hasEarlierBytes)
    }

    /// Runs `body` and a search concurrently. The download waits for the search only if a proof is required;
    /// a search that failed temporarily is then repeated once.
    ///
    /// - Parameter found: Called as soon as the search has found a digest.
    /// - Returns: The result of the search; `nil` if there was none.
    /// - Throws: The errors of `body`.
    func searching(
        _ search: ProofSearch?, found: @escaping @Sendable (PublishedDigest) -> Void,
        _ body: () async throws -> Void
    ) async throws -> ProofFinding? {
        guard let search else {
            try await body()
            return nil
        }
        let result = Lock<ProofFinding?>(nil)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [self] in
                let finding = try await withinMaximumSilence { try await search.run() }
                result.withLock { $0 = finding }
                if let digest = finding.digest { found(digest) }
            }
            try await body()
            // A failed search produces no finding.
            if request.proofPolicy.required == nil {
                group.cancelAll()
            } else {
                try? await group.waitForAll()
            }
        }
        var finding = result.withLock { $0 }
        if request.proofPolicy.required != nil, finding?.isRetryable ?? true {
            finding = try await search.anew.run()
            if let digest = finding?.digest { found(digest) }
        }
        log(finding ?? .nothing("the search had no result when the file was complete"))
        return finding
    }

    private func log(_ finding: ProofFinding?) {
        if let reason = finding?.reason {
            configuration.logger.info("\(request.source): no published digest: \(reason)")
        }
        guard let lack = finding?.digest?.unsigned else { return }
        // If a signature is required, an error reports it instead.
        let isShown = lack.isNotable && request.proofPolicy.required != .signature
        configuration.logger.log(
            level: isShown ? .notice : .info, "\(request.source): no signed digest: \(lack.reason)")
    }

    /// Searches for the digest of a file that needs no transfer, if a proof is required.
    func requiredFinding(
        from client: SourceClient, _ expectations: Expectations, hasEarlierBytes: Bool
    ) async throws -> ProofFinding? {
        guard request.proofPolicy.required != nil,
            let search = proofSearch(
                length: nil, from: client, expectations, hasEarlierBytes: hasEarlierBytes)
        else { return nil }
        var finding = try await search.run()
        if finding.isRetryable { finding = try await search.anew.run() }
        log(finding)
        return finding
    }

    /// Searches again if only a document's digest differs from the computed ones, because the document may be
    /// older than the file.
    ///
    /// - Returns: The new finding, which was added to `expectations`; `nil` if no second search was needed.
    func searchAgain(
        _ search: ProofSearch?, _ expectations: inout Expectations, _ digests: [Checksum]
    ) async throws -> ProofFinding? {
        // A digest that contradicts nothing matters only if a proof is required.
        guard let search, expectations.isContradictedByDocument(digests),
            request.proofPolicy.required != nil || expectations.published?.canRefute ?? false
        else { return nil }
        let finding = try await search.anew.run()
        expectations.renewed(by: finding.digest, isUnanswered: finding.isUnanswered)
        return finding
    }

    /// Compares an existing file with its published digest if a proof is required and has not been found yet.
    ///
    /// - Throws: `DownloadError` with code `checksumMismatch` or `unproven`. The file is left unchanged.
    func proven(_ result: DownloadResult) async throws -> DownloadResult {
        guard let level = request.proofPolicy.required, let path = result.path,
            !result.proofs.contains(where: { $0.meets(level) })
        else { return result }
        var expectations = expectations(nil)
        let finding = try await requiredFinding(from: client, expectations, hasEarlierBytes: true)
        expectations.published = finding?.digest
        let digests = try await FileDigest.compute(expectations.algorithms, of: path)
        let search = proofSearch(length: nil, from: client, expectations, hasEarlierBytes: true)
        let latest = try await searchAgain(search, &expectations, digests) ?? finding
        if let mismatch = expectations.mismatch(digests) {
            throw Expectations.error(path.string, mismatch, kept: Self.unchanged)
        }
        var result = result
        result.proofs = expectations.proofs(digests)
        if let lack = lack(of: result.proofs, path, latest, kept: Self.unchanged) { throw lack }
        return result
    }

    private static let unchanged = "the existing file was left unchanged"

    /// Returns the error for a file without the required proof; `nil` if it has one.
    ///
    /// - Parameter kept: A clause that says what was kept.
    func lack(
        of proofs: [DigestProof], _ path: FilePath, _ finding: ProofFinding?, kept: String
    ) -> DownloadError? {
        guard let level = request.proofPolicy.required, !proofs.contains(where: { $0.meets(level) }) else {
            return nil
        }
        let reason: String
        switch finding {
        case .nothing(let cause, _, _)?: reason = cause
        case .digest(let digest)?: reason = Self.shortcoming(of: digest, for: level)
        case nil: reason = reasonForNoSearch
        }
        return DownloadError(
            .unproven, "\(path.shown): a proof is required, and none was found: \(reason); \(kept).",
            url: request.source.description
        ).remedied(by: level == .signature ? .signature : .proof)
    }

    /// Returns a clause that says why a published digest is not the required proof.
    private static func shortcoming(of digest: PublishedDigest, for level: ProofPolicy.Level) -> String {
        switch level {
        case .otherHost where !digest.document.isOfOtherHost && digest.document.signature == nil:
            return "the list is from the host that sent the file"
        case .signature where digest.document.signature == nil:
            return digest.unsigned?.reason ?? "the list has no signature"
        case .digest, .otherHost, .signature:
            return digest.canRefute
                ? "\(digest.document.url) lists another digest"
                : "\(digest.document.url) lists another digest, and does not name its algorithm"
        }
    }

    private var reasonForNoSearch: String {
        if request.credentials?.signature != nil { return "lists are not searched for with signed requests" }
        guard request.ifEncoded == .fail else { return "the digest of encoded content is unknown" }
        return request.source.hasQuery
            ? "its URL has a query, which may select the file, so no list was searched for"
            : "its URL does not end with a file name, so no list was searched for"
    }
}
