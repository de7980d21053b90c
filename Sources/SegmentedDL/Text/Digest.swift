internal import CSegCrypto
internal import CSegSystem

/// Computes a digest with libcrypto's EVP, or a CRC. Not `Sendable`: only one thread at a time may use it.
package final class Digest {
    package let algorithm: Checksum.Algorithm
    /// The context of libcrypto; `nil` for a CRC.
    private let context: OpaquePointer?
    private var cyclic: CyclicCheck?

    /// - Parameter length: The number of bytes that follow; `nil` if unknown.
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks the algorithm, as in a FIPS
    ///   configuration, or if it needs the length and this is unknown.
    package init(_ algorithm: Checksum.Algorithm, length: Int64? = nil) throws(DownloadError) {
        self.algorithm = algorithm
        cyclic = CyclicCheck(algorithm)
        guard cyclic == nil else {
            context = nil
            return
        }
        let prefix = try Self.prefix(algorithm, length)
        guard let method = Self.methods[algorithm == .gitsha1 ? .sha1 : algorithm],
            let context = EVP_MD_CTX_new()
        else {
            throw Self.unavailable(algorithm)
        }
        guard EVP_DigestInit_ex(context, method, nil) == 1 else {
            EVP_MD_CTX_free(context)
            throw Self.unavailable(algorithm)
        }
        self.context = context
        prefix.withUnsafeBytes { update($0) }
    }

    /// Returns the bytes that an algorithm hashes before those of the file (git hash-object).
    private static func prefix(
        _ algorithm: Checksum.Algorithm, _ length: Int64?
    ) throws(DownloadError) -> [UInt8] {
        guard algorithm.includesLength else { return [] }
        guard let length else {
            throw DownloadError(
                .invalidSetting,
                "\(algorithm.rawValue) needs the length of the file, which the server does not send; use another checksum."
            )
        }
        return Array("blob \(length)".utf8) + [0]
    }

    deinit {
        EVP_MD_CTX_free(context)
    }

    /// The methods, fetched once: otherwise libcrypto would search its providers each time
    /// (`crypto(7)`, explicit fetching), which takes as long as hashing a small file.
    ///
    /// `nonisolated(unsafe)`: methods may be read by any number of threads, and are never changed or freed.
    private nonisolated(unsafe) static let methods: [Checksum.Algorithm: OpaquePointer] = Dictionary(
        uniqueKeysWithValues: Checksum.Algorithm.hashes.compactMap { algorithm in
            EVP_MD_fetch(nil, algorithm.rawValue, nil).map { (algorithm, $0) }
        })

    private static func unavailable(_ algorithm: Checksum.Algorithm) -> DownloadError {
        DownloadError(.invalidSetting, "This OpenSSL has no \(algorithm.rawValue); use another checksum.")
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        if cyclic?.update(bytes) != nil { return }
        EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    /// Returns the digest's bytes. Call this once, at the end.
    package func finish() -> [UInt8] {
        if let cyclic { return cyclic.bytes }
        var bytes = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
        var length: UInt32 = 0
        EVP_DigestFinal_ex(context, &bytes, &length)
        return Array(bytes.prefix(Int(length)))
    }

    /// Returns the digest as a value. Call this once, at the end.
    package func finishChecksum() -> Checksum { Checksum(algorithm, digest: finish()) }

    /// Returns the SHA-256 of bytes, in lower-case hexadecimal; empty if libcrypto lacks it.
    package static func sha256(_ bytes: some Collection<UInt8>) -> String { text(of: bytes, .sha256) }

    /// Returns the digest of bytes, in lower-case hexadecimal; empty if libcrypto lacks it.
    static func text(of bytes: some Collection<UInt8>, _ algorithm: Checksum.Algorithm) -> String {
        guard let digest = try? Digest(algorithm, length: Int64(bytes.count)) else { return "" }
        Array(bytes).withUnsafeBytes { digest.update($0) }
        return Hexadecimal.text(digest.finish())
    }

    package static var libraryVersion: String {
        String(cString: OpenSSL_version(OPENSSL_VERSION))
    }
}

/// Computes a CRC.
struct CyclicCheck {
    private let kind: seg_crc_kind
    private let length: Int
    private var value: UInt64 = 0

    /// - Returns: `nil` for an algorithm other than a CRC.
    init?(_ algorithm: Checksum.Algorithm) {
        switch algorithm {
        case .crc32: kind = SEG_CRC32
        case .crc32c: kind = SEG_CRC32C
        case .crc64nvme: kind = SEG_CRC64NVME
        case .md5, .sha1, .sha224, .sha256, .sha384, .sha512, .gitsha1: return nil
        }
        length = algorithm.length
    }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        value = seg_crc_update(kind, value, bytes.baseAddress, bytes.count)
    }

    /// Appends `count` bytes whose CRC is known.
    mutating func append(_ next: CyclicCheck, count: Int64) {
        value = seg_crc_combine(kind, value, next.value, UInt64(count))
    }

    /// The value in big-endian order, as stores send it.
    var bytes: [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }
}
