internal import CSegCrypto

/// A digest under way (libcrypto's EVP). Not `Sendable`: one thread at a time feeds it.
final class Digest {
    let algorithm: Checksum.Algorithm
    private let context: OpaquePointer

    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto does not offer the algorithm, as in a
    ///   FIPS configuration.
    init(_ algorithm: Checksum.Algorithm) throws(DownloadError) {
        guard let method = EVP_get_digestbyname(algorithm.rawValue), let context = EVP_MD_CTX_new() else {
            throw Self.unavailable(algorithm)
        }
        guard EVP_DigestInit_ex(context, method, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw Self.unavailable(algorithm)
        }
        self.algorithm = algorithm
        self.context = context
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    private static func unavailable(_ algorithm: Checksum.Algorithm) -> DownloadError {
        DownloadError(.invalidSetting, "This OpenSSL has no \(algorithm.rawValue); use another checksum.")
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// The digest's bytes. Call it once, last.
    func finish() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        EVP_DigestFinal_ex(context, &bytes, &length)
        return Array(bytes.prefix(Int(length)))
    }

    /// The digest as a value. Call it once, last.
    func finishChecksum() -> Checksum { Checksum(algorithm, digest: finish()) }

    /// The SHA-256 of some bytes, in lower-case hexadecimal; empty if libcrypto lacks it.
    static func sha256(_ bytes: some Collection<UInt8>) -> String {
        guard let digest = try? Digest(.sha256) else { return "" }
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return hexadecimal(digest.finish())
    }

    static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    static var libraryVersion: String {
        String(cString: OpenSSL_version(OPENSSL_VERSION))
    }
}
