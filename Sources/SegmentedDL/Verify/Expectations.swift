/// The digests that a finished file must have.
struct Expectations: Sendable {
    /// The caller's.
    var checksum: Checksum?
    /// The server's; one of the same algorithm as the caller's costs nothing more.
    var server: ServerDigest?
    /// Whether SHA-256 is computed in any case.
    var wantsSHA256 = false

    /// What has to be computed.
    var algorithms: [Checksum.Algorithm] {
        var algorithms: [Checksum.Algorithm] = []
        let wanted = [checksum?.algorithm, server?.checksum.algorithm, wantsSHA256 ? .sha256 : nil]
        for algorithm in wanted.compactMap(\.self)
        where !algorithms.contains(algorithm) {
            algorithms.append(algorithm)
        }
        return algorithms
    }

    /// Computes them all.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks an algorithm.
    func digests(of file: [UInt8]) throws(DownloadError) -> [Checksum] {
        var found: [Checksum] = []
        for algorithm in algorithms {
            let digest = try Digest(algorithm)
            file.withUnsafeBytes { digest.update($0) }
            found.append(digest.finishChecksum())
        }
        return found
    }

    /// Those of the computed digests that something was expected of.
    func verified(_ found: [Checksum]) -> [Checksum] {
        found.filter { $0.algorithm == checksum?.algorithm || $0.algorithm == server?.checksum.algorithm }
    }

    /// What two digests that differ say; `nil` if none does.
    ///
    /// - Parameter found: The computed digests, one for each of `algorithms`.
    func mismatch(_ found: [Checksum]) -> String? {
        func differs(from expected: Checksum?) -> Checksum? {
            found.first { $0.algorithm == expected?.algorithm && $0 != expected }
        }
        if let checksum, let wrong = differs(from: checksum) {
            return "the received bytes have \(wrong.algorithm.rawValue) \(wrong.hexadecimal), "
                + "but \(checksum.hexadecimal) was expected"
        }
        if let server, let wrong = differs(from: server.checksum) {
            return "the received bytes have \(wrong.algorithm.rawValue) \(wrong.hexadecimal), "
                + "but the server's \(server.field) says \(server.checksum.hexadecimal) "
                + "(--no-server-digest does without it)"
        }
        return nil
    }

    /// - Parameter kept: What became of the bytes, as a clause.
    static func error(_ name: String, _ mismatch: String, kept: String) -> DownloadError {
        DownloadError(.checksumMismatch, "\(name): \(mismatch); \(kept).")
    }
}
