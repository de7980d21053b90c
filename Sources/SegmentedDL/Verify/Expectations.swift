/// The digests that a finished file must have.
struct Expectations: Sendable {
    /// The caller's checksums.
    var checksums: [Checksum] = []
    /// The server's digest. It causes no extra work if its algorithm is one of the caller's.
    var server: ServerDigest?
    /// A composite checksum, which can prove a file but not disprove it.
    private(set) var composite: CompositeDigest?
    /// True if the host that sent the server's digest sends none of the file's bytes.
    var isServerOtherHost = false
    /// The digest in a document that a search found.
    var published: PublishedDigest?
    /// True to always compute SHA-256.
    var wantsSHA256 = false

    /// True if any digest proves the file.
    var areAny: Bool { !checksums.isEmpty || server != nil }

    /// True if one of the digests is SHA-256 or stronger.
    var areStrong: Bool {
        (checksums + [server?.checksum].compactMap(\.self)).contains(where: \.isStrong)
    }

    /// True if a host other than the file's states a SHA-256 or longer digest.
    var areStrongOfOtherHost: Bool { isServerOtherHost && server?.checksum.isStrong ?? false }

    /// The digests to compute.
    var algorithms: [Checksum.Algorithm] {
        var algorithms: [Checksum.Algorithm] = []
        let others = [
            server?.checksum.algorithm, published?.checksum.algorithm, wantsSHA256 ? .sha256 : nil,
        ].compactMap(\.self)
        for algorithm in checksums.map(\.algorithm) + others where !algorithms.contains(algorithm) {
            algorithms.append(algorithm)
        }
        return algorithms
    }

    /// Creates the digests to compute.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks an algorithm.
    func digests(of file: [UInt8]) throws(DownloadError) -> [Checksum] {
        var found: [Checksum] = []
        for algorithm in algorithms {
            let digest = try Digest(algorithm, length: Int64(file.count))
            file.withUnsafeBytes { digest.update($0) }
            found.append(digest.finishChecksum())
        }
        return found
    }

    /// Returns the computed digests that were expected, with the origins of the expectations.
    func proofs(_ found: [Checksum]) -> [DigestProof] {
        found.compactMap { digest in
            let isRequested = checksums.contains { $0.algorithm == digest.algorithm }
            let field = server?.checksum.algorithm == digest.algorithm ? server?.field : nil
            let document = published?.checksum == digest ? published?.document : nil
            guard isRequested || field != nil || document != nil else { return nil }
            var proof = DigestProof(digest, isRequested: isRequested, field: field, document: document)
            if field != nil, isServerOtherHost { proof.isStatedByOtherHost = true }
            return proof
        }
    }

    /// Adds a composite checksum, unless a digest of the file itself is expected, which proves more.
    mutating func add(_ composite: CompositeDigest?) {
        if !areAny { self.composite = composite }
    }

    /// Returns the proofs of a file in memory.
    ///
    /// - Parameter found: Its computed digests.
    func proofs(_ found: [Checksum], of file: [UInt8]) -> [DigestProof] {
        guard let parts = composite.map(PartsDigest.init) else { return proofs(found) }
        file.withUnsafeBytes { parts.update($0) }
        return proofs(found) + [parts.finish()].compactMap(\.self)
    }

    /// A digest that differs from the expected one.
    struct Mismatch: CustomStringConvertible, Sendable {
        /// A clause.
        let description: String
        var remedy: DownloadError.Remedy?
    }

    /// Returns the first digest that differs from the expected one; `nil` if none does.
    ///
    /// - Parameter found: The computed digests, one for each of `algorithms`.
    func mismatch(_ found: [Checksum]) -> Mismatch? {
        func differs(from expected: Checksum?) -> Checksum? {
            found.first { $0.algorithm == expected?.algorithm && $0 != expected }
        }
        for checksum in checksums {
            guard let wrong = differs(from: checksum) else { continue }
            return Mismatch(
                description: "the received bytes have \(wrong.algorithm.rawValue) \(wrong.hexadecimal), "
                    + "but \(checksum.hexadecimal) was expected")
        }
        if let server, let wrong = differs(from: server.checksum) {
            return Mismatch(
                description: "the received bytes have \(wrong.algorithm.rawValue) \(wrong.hexadecimal), "
                    + "but the server's \(server.field) field says \(server.checksum.hexadecimal)",
                remedy: .ignoredServerDigest)
        }
        // A list may be older than the file, or belong to another one; the caller has given the digest of
        // this file.
        let isGiven = checksums.contains { $0.isStrong && found.contains($0) }
        if let published, published.canRefute, !isGiven, let wrong = differs(from: published.checksum) {
            return Mismatch(
                description: "the received bytes have \(wrong.algorithm.rawValue) \(wrong.hexadecimal), "
                    + "but \(published.document.url) lists \(published.checksum.hexadecimal)",
                remedy: .ignoredProof)
        }
        return nil
    }

    /// Returns true if only the digest of a document differs from the computed ones.
    func isContradictedByDocument(_ found: [Checksum]) -> Bool {
        guard let published else { return false }
        var others = self
        others.published = nil
        return others.mismatch(found) == nil
            && found.contains { $0.algorithm == published.checksum.algorithm && $0 != published.checksum }
    }

    /// Replaces a document's digest with the one that another search found. A digest with another algorithm
    /// is ignored, because it is not computed.
    ///
    /// - Parameter isUnanswered: True if the search's requests failed. The earlier digest then still
    ///   contradicts the file.
    mutating func renewed(by found: PublishedDigest?, isUnanswered: Bool) {
        guard !isUnanswered else { return }
        published = found?.checksum.algorithm == published?.checksum.algorithm ? found : nil
    }

    /// - Parameter kept: A clause that says what happened to the bytes.
    static func error(_ name: String, _ mismatch: Mismatch, kept: String) -> DownloadError {
        var error = DownloadError(.checksumMismatch, "\(name): \(mismatch); \(kept).")
        error.remedy = mismatch.remedy
        return error
    }
}

extension Checksum {
    /// True for SHA-256 and longer hashes.
    fileprivate var isStrong: Bool { algorithm.length >= Algorithm.sha256.length }
}
