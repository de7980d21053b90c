/// The digests that a finished file must have.
struct Expectations: Sendable {
    /// The caller's checksum.
    var checksum: Checksum?
    /// The server's digest. If its algorithm is that of the caller's checksum, it costs nothing more.
    var server: ServerDigest?
    /// True if SHA-256 is computed in any case.
    var wantsSHA256 = false

    /// The digests to compute.
    var algorithms: [Checksum.Algorithm] {
        var algorithms: [Checksum.Algorithm] = []
        let wanted = [checksum?.algorithm, server?.checksum.algorithm, wantsSHA256 ? .sha256 : nil]
        for algorithm in wanted.compactMap(\.self)
        where !algorithms.contains(algorithm) {
            algorithms.append(algorithm)
        }
        return algorithms
    }

    /// Computes all of them.
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

    /// Returns the computed digests that have an expectation.
    func verified(_ found: [Checksum]) -> [Checksum] {
        found.filter { $0.algorithm == checksum?.algorithm || $0.algorithm == server?.checksum.algorithm }
    }

    /// Returns a clause about the first digest that differs from its expectation; `nil` if none does.
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

    /// - Parameter kept: A clause that says what became of the bytes.
    static func error(_ name: String, _ mismatch: String, kept: String) -> DownloadError {
        DownloadError(.checksumMismatch, "\(name): \(mismatch); \(kept).")
    }
}
