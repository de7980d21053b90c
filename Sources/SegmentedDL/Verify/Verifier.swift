internal import SystemPackage

/// Computes the digest of a file on disk.
enum Verifier {
    private static let pieceLength = 1024 * 1024

    /// The digest of a part file's first `length` bytes, in lower-case hexadecimal. Blocks.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks the algorithm, else `StorageError`.
    static func digest(_ part: PartFile, length: Int64, _ algorithm: Checksum.Algorithm) throws -> String {
        guard let digest = Digest(algorithm) else { throw Self.unavailable(algorithm) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 16)
        defer { buffer.deallocate() }
        var offset: Int64 = 0
        while offset < length {
            let wanted = Int(min(Int64(pieceLength), length - offset))
            let count = try part.read(
                into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
            guard count > 0 else { break }
            digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += Int64(count)
        }
        return Digest.hexadecimal(digest.finish())
    }

    static func unavailable(_ algorithm: Checksum.Algorithm) -> DownloadError {
        DownloadError(.invalidSetting, "This OpenSSL has no \(algorithm.rawValue); use another checksum.")
    }

    static func mismatch(_ name: String, found: String, expected: Checksum, kept: String) -> DownloadError {
        DownloadError(
            .checksumMismatch,
            "\(name): the received bytes have \(expected.algorithm.rawValue) \(found), "
                + "but \(expected.hexadecimal) was expected; \(kept).")
    }
}
