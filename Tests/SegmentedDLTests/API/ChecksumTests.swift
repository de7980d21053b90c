import Testing

@testable import SegmentedDL

@Suite("Parsing of checksums")
struct ChecksumTests {
    private let hexadecimal = "900150983cd24fb0d6963f7d28e17f72"

    @Test(
        "ALGO=HEX is read, in either case, with or without a hyphen",
        arguments: [
            "md5=900150983cd24fb0d6963f7d28e17f72", "MD5=900150983CD24FB0D6963F7D28E17F72",
            "md-5=900150983cd24fb0d6963f7d28e17f72",
        ])
    func good(text: String) throws {
        let checksum = try Checksum(parsing: text)
        #expect(checksum.algorithm == .md5)
        #expect(checksum.hexadecimal == hexadecimal)
        #expect(checksum.description == "md5=\(hexadecimal)")
    }

    @Test("the digest of no bytes is correct in each algorithm", arguments: Checksum.Algorithm.allCases)
    func nothing(algorithm: Checksum.Algorithm) throws {
        #expect(try Digest(algorithm, length: 0).finishChecksum().isOfNothing)
        let other = try Digest(algorithm, length: 1)
        [1].withUnsafeBytes { other.update($0) }
        #expect(!other.finishChecksum().isOfNothing)
    }

    @Test(
        "the length of a digest that is given alone implies its algorithm",
        arguments: Checksum.Algorithm.hashes)
    func alone(algorithm: Checksum.Algorithm) throws {
        let digest = String(repeating: "0F", count: algorithm.length)
        #expect(try Checksum(given: " \(digest)\n") == Checksum(algorithm, digest))
    }

    @Test("a digest of any other length needs its name")
    func named() throws {
        let digest = String(repeating: "0F", count: 32)
        #expect(try Checksum(given: "SHA-256=" + digest) == Checksum(.sha256, digest))
        #expect(try Checksum(given: "md5=" + hexadecimal).algorithm == .md5)
        for text in [
            "0f0f0f0f", String(digest.prefix(16)), digest + "00", String(digest.dropLast()) + "g", "",
        ] {
            #expect(throws: DownloadError.self) { try Checksum(given: text) }
        }
    }

    @Test("is also read as registries and web pages write it, with white space around it")
    func otherForms() throws {
        let digest = String(repeating: "0f", count: 32)
        let expected = try Checksum(.sha256, digest)
        let base64 = String(repeating: "Dw8P", count: 10) + "Dw8="
        for text in [
            "sha256:\(digest)", "SHA-256:\(digest)", " sha256=\(digest)\r\n", "\(digest)\n",
            "sha256-\(base64)",
        ] {
            #expect(try Checksum(given: text) == expected, "\(text)")
        }
        for text in ["sha256-Dw8P", "sha384-\(base64)", "sha256-\(digest)", ":\(digest)", "md5:\(digest)"] {
            #expect(throws: DownloadError.self) { try Checksum(given: text) }
        }
    }

    @Test("every algorithm is known by its name", arguments: Checksum.Algorithm.allCases)
    func algorithms(algorithm: Checksum.Algorithm) throws {
        let digits = String(repeating: "0f", count: algorithm.length)
        let checksum = try Checksum(parsing: "\(algorithm.rawValue)=\(digits)")
        #expect(checksum == (try Checksum(algorithm, digits)))
        #expect(throws: DownloadError.self) { try Checksum(algorithm, digits + "0") }
        #expect(throws: DownloadError.self) { try Checksum(algorithm, String(digits.dropLast())) }
    }

    @Test(
        "anything else is an error that shows the input",
        arguments: [
            "", "=", "md5", "md5=", "=900150983cd24fb0d6963f7d28e17f72", "crc16=0000",
            "md5=900150983cd24fb0d6963f7d28e17f7",
            "md5=900150983cd24fb0d6963f7d28e17f72 ", "md5= 900150983cd24fb0d6963f7d28e17f72",
            "md5=g00150983cd24fb0d6963f7d28e17f72",
            "md5==00150983cd24fb0d6963f7d28e17f72", "sha256=900150983cd24fb0d6963f7d28e17f72",
            "md5=٩00150983cd24fb0d6963f7d28e17f7",
        ])
    func bad(text: String) throws {
        let error = try #require(throws: DownloadError.self) { try Checksum(parsing: text) }
        #expect(error.code == .invalidSetting)
        #expect(error.exitStatus == 64)
        #expect(error.message.hasSuffix("."))
    }
}
