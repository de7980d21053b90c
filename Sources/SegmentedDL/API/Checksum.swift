/// The digest that a finished file must have.
///
///     let expected = try Checksum(.sha256, digest)
///     let isRight = try await FileDigest.compute([.sha256], of: path) == [expected]
public struct Checksum: Sendable, Hashable, CustomStringConvertible {
    /// A digest algorithm. The raw value is its name in `ALGO=HEX`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Algorithm: String, Sendable, Hashable, CaseIterable {
        /// MD5 (RFC 1321): detects accidents, not attacks.
        case md5
        /// SHA-1: detects accidents, not attacks.
        case sha1
        /// SHA-224 (FIPS 180-4).
        case sha224
        /// SHA-256 (FIPS 180-4).
        case sha256
        /// SHA-384 (FIPS 180-4).
        case sha384
        /// SHA-512 (FIPS 180-4).
        case sha512
        /// CRC-32, as in zip and zlib: detects accidents, not attacks.
        case crc32
        /// CRC-32C (Castagnoli), which Google Cloud Storage and Amazon S3 publish for objects: detects
        /// accidents, not attacks.
        case crc32c
        /// CRC-64/NVME, which Amazon S3 computes for each object: detects accidents, not attacks.
        case crc64nvme
        /// The ID of the file's content in Git: SHA-1 of `blob`, a space, the length in decimal, a NUL byte,
        /// and the bytes. Model hubs publish it for small files. Detects accidents, not attacks.
        case gitsha1

        /// The algorithms that hash only the file's bytes. Digest lists name the algorithm, or imply it by
        /// the digest's length.
        package static let hashes = allCases.filter(\.isOfBytesAlone)

        private var isOfBytesAlone: Bool {
            switch self {
            case .md5, .sha1, .sha224, .sha256, .sha384, .sha512: true
            case .crc32, .crc32c, .crc64nvme, .gitsha1: false
            }
        }

        /// True if the hash covers the file's length, which must then be known before the first byte is
        /// hashed.
        var includesLength: Bool { self == .gitsha1 }

        /// The digest's length in bytes.
        public var length: Int {
            switch self {
            case .md5: 16
            case .sha1, .gitsha1: 20
            case .sha224: 28
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            case .crc32, .crc32c: 4
            case .crc64nvme: 8
            }
        }
    }

    /// The algorithm.
    public let algorithm: Algorithm

    /// The digest in lower-case hexadecimal.
    public let hexadecimal: String

    /// Creates a checksum from its digest in hexadecimal, in upper or lower case.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the text is not a digest of that algorithm.
    public init(_ algorithm: Algorithm, _ hexadecimal: String) throws(DownloadError) {
        let digits = hexadecimal.lowercased()
        guard digits.utf8.count == algorithm.length * 2,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else {
            throw DownloadError(
                .invalidSetting,
                "'\(Printable.text(hexadecimal))' is not a \(algorithm.rawValue) digest; write \(algorithm.length * 2) hexadecimal digits."
            )
        }
        self.algorithm = algorithm
        self.hexadecimal = digits
    }

    init(_ algorithm: Algorithm, digest: [UInt8]) {
        self.algorithm = algorithm
        hexadecimal = Hexadecimal.text(digest)
    }

    /// Parses `ALGO=HEX`, as in `sha256=9f86…`. The name may contain a dash, as in `SHA-256`.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the text is malformed, or has an unknown
    ///   algorithm or the wrong number of digits.
    public init(parsing text: String) throws(DownloadError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = parts[0].lowercased().filter { $0 != "-" }
        guard parts.count == 2, let algorithm = Algorithm(rawValue: name) else {
            let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw DownloadError(
                .invalidSetting,
                "'\(Printable.text(text))' is not a checksum; write ALGO=HEX with one of \(known).")
        }
        try self.init(algorithm, String(parts[1]))
    }

    /// The checksum as `ALGO=HEX`.
    public var description: String { "\(algorithm.rawValue)=\(hexadecimal)" }
}

extension [Checksum] {
    /// Adds a checksum, unless the list already contains it.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the list contains a different digest of the
    ///   same algorithm, since no file can match both.
    package mutating func add(_ checksum: Checksum) throws(DownloadError) {
        guard let known = first(where: { $0.algorithm == checksum.algorithm }) else {
            return append(checksum)
        }
        try require(
            known == checksum,
            "Two different \(checksum.algorithm.rawValue) digests are given for one file; remove the wrong one."
        )
    }
}

/// Encoded as a string, `ALGO=HEX`.
extension Checksum: Codable {
    /// Decodes a string, `ALGO=HEX`.
    ///
    /// - Throws: `DecodingError` if the value is not a string, `DownloadError` with code `invalidSetting` if
    ///   the string is not a checksum.
    public init(from decoder: any Decoder) throws {
        try self.init(parsing: decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the checksum as a string, `ALGO=HEX`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The origin of a request's digests, if neither a person nor a program supplied them directly.
package enum ChecksumOrigin: String, Sendable, Codable, CaseIterable {
    /// A list of checksums, such as `SHA256SUMS` or `FILE.sha256`.
    case list
    /// A Metalink file (RFC 5854).
    case metalink
}
