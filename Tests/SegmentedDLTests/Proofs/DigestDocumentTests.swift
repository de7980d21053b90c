import Testing

@testable import SegmentedDL

@Suite("A document with digests")
struct DigestDocumentTests {
    private static let sha256 = String(repeating: "0a", count: 32)
    private static let other = String(repeating: "1b", count: 32)
    private static let sha512 = String(repeating: "0123456789abcdef", count: 8)

    private func listed(_ text: [UInt8], _ name: String) throws -> ListedDigest? {
        let read = try #require(DigestName(name, ofFile: "a.iso") ?? DigestName(ofList: name))
        return DigestDocument(text)?.digest(of: "a.iso", read)
    }

    private func digest(_ text: String, _ name: String) throws -> String? {
        try listed(Array(text.utf8), name)?.checksum.description
    }

    @Test(
        "lists the file in each common format",
        arguments: [
            ("SHA256SUMS", "\(sha256)  a.iso\n\(other)  b.iso\n"), ("SHA256SUMS", "\(sha256) *./a.iso\r\n"),
            ("SHA256", "SHA256 (a.iso) = \(sha256)\nSHA256 (b.iso) = \(other)\n"),
            (
                "sha256sums.asc",
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(sha256)  a.iso\n-----BEGIN PGP SIGNATURE-----\n\nxyz\n"
            ),
            ("a.iso.sha256", sha256), ("a.iso.sha256", "\(sha256.uppercased())\n"),
            ("a.iso.sha256", "\(sha256)  build/out/a.iso\n"), ("a.iso.sha256", "a.iso: \(sha256)\n"),
            ("a.iso.sha256", "SHA-256: \(sha256)"),
            ("a.iso.CHECKSUM", "# a.iso: 10 bytes\nSHA256 (a.iso) = \(sha256)\n"),
            ("a.iso.sha256", "SHA2-256(a.iso)= \(sha256)\n"),
            ("a.iso.sha256", "\u{FEFF}\(sha256)\r\n"), ("SHA256SUMS", "\u{FEFF}\(sha256)  a.iso\r\n"),
            ("a.iso.sha256", "\(sha256)  -\n"), ("a.iso.sha256", "SHA256(stdin)= \(sha256)\n"),
            ("a.iso.sha256", "SHA2-256(stdin)= \(sha256)\n"), ("a.iso.sha256", "SHA256=\(sha256)\n"),
            ("a.iso.sha256", "SHA256 = \(sha256)\n"), ("a.iso.sha256", "sha256:\(sha256)\n"),
            ("checksums.txt", "sha256:\(sha256)  a.iso\nsha256:\(other)  b.iso\n"),
            ("SHA256SUMS", "  \(sha256)  a.iso \n"), ("SHA256SUMS", "\(sha256)     a.iso\n"),
            ("a.iso.sha256", "\n \(sha256)\t\n\n"),
            ("a.iso.checksum", "MD5: \(sha256.prefix(32))\nSHA256: \(sha256)\n"),
            ("checksums.txt", "BLAKE2b (a.iso) = \(sha512)\nSHA256 (a.iso) = \(sha256)\n"),
        ])
    func found(name: String, text: String) throws {
        #expect(try digest(text, name) == "sha256=\(Self.sha256)")
    }

    @Test("lists it as gpg --print-md does")
    func printed() throws {
        let groups = stride(from: 0, to: 128, by: 8).map { Self.sha512.dropFirst($0).prefix(8).uppercased() }
        let text =
            "a.iso: \(groups[..<6].joined(separator: " "))\n        \(groups[6...].joined(separator: " "))\n"
        #expect(try digest(text, "a.iso.sha512") == "sha512=\(Self.sha512)")
    }

    @Test("reads no entry in a line of more than 64 KiB, and all other lines")
    func longLines() throws {
        let long = String(repeating: " ", count: DigestDocument.maximumLineBytes)
        #expect(try digest("\(Self.sha256)  a.iso\(long)\n", "SHA256SUMS") == nil)
        for line in [
            "SHA256 (" + long, String(repeating: "a: ", count: 30_000), long + "x" + long,
            "\(Self.other)\(long)x",
        ] {
            let list = "\(line)\n\(Self.sha256)  a.iso\n"
            #expect(try digest(list, "SHA256SUMS") == "sha256=\(Self.sha256)")
            // The document is not about this file alone.
            #expect(try digest("\(line)\n\(Self.sha256)\n", "a.iso.sha256") == nil)
        }
        let other = "# \(long)x\(long)BLAKE2b\n\(Self.sha256)  a.iso\n"
        #expect(try digest(other, "checksums.txt") == nil)
    }

    @Test("lists it although another line, or the encoding, is not UTF-8")
    func encodings() throws {
        let latin = Array("\(Self.other)  d".utf8) + [0xef] + Array("sk\n\(Self.sha256)  a.iso\n".utf8)
        #expect(try listed(latin, "SHA256SUMS")?.checksum.hexadecimal == Self.sha256)
        let units = "\u{FEFF}\(Self.sha256)\r\n".utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        #expect(try listed(units, "a.iso.sha256")?.checksum.hexadecimal == Self.sha256)
        #expect(DigestDocument(latin)?.bytes == latin)
    }

    @Test(
        "names the algorithm, or leaves it open",
        arguments: [
            ("checksums.txt", "\(sha256)  a.iso\n", false), ("a.iso.CHECKSUM", sha256, false),
            ("tool_1.256_checksums.txt", "\(sha256)  a.iso\n", false),
            ("checksums.txt", "\(sha256.prefix(40))  a.iso\n", false),
            ("a.iso.digest", "a.iso: \(sha256)", false), ("SHA256SUMS", "\(sha256)  a.iso\n", true),
            ("a.iso.sha256", sha256, true), ("checksums.txt", "SHA256 (a.iso) = \(sha256)\n", true),
            ("checksums.txt", "sha256:\(sha256)  a.iso\n", true),
            ("checksums.txt", "# SHA-256\n\(sha256)  a.iso\n", true),
            ("checksums.txt", "# SHA-512\n\(sha256)  a.iso\n", false),
            ("a.iso.CHECKSUM", "SHA256: \(sha256)", true),
            ("tool_checksums_sha-256.txt", "\(sha256)  a.iso\n", true),
            (
                "checksums.txt.asc",
                "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n\(sha256)  a.iso\n-----BEGIN PGP SIGNATURE-----\n\nxyz\n",
                false
            ),
        ])
    func isNamed(name: String, text: String, isNamed: Bool) throws {
        #expect(try listed(Array(text.utf8), name)?.isNamed == isNamed)
    }

    @Test("prefers a digest whose algorithm it names")
    func named() throws {
        #expect(
            try digest("\(Self.sha512)  a.iso\nSHA256 (a.iso) = \(Self.sha256)\n", "checksums.txt")
                == "sha256=\(Self.sha256)")
    }

    @Test("names the strongest of several digests")
    func strongest() throws {
        #expect(
            try digest("\(Self.sha256)  a.iso\n\(Self.sha512)  a.iso\n", "checksums.txt")
                == "sha512=\(Self.sha512)")
    }

    @Test(
        "does not list the file",
        arguments: [
            ("SHA256SUMS", "\(other)  b.iso\n"), ("SHA256SUMS", "\(sha256)  old/a.iso\n"),
            ("SHA256SUMS", sha256),
            ("SHA256SUMS", "\(sha256)  a.iso\n\(other)  a.iso\n"), ("a.iso.sha256", "\(sha256)  a.img\n"),
            ("a.iso.sha256", String(sha256.dropLast())), ("a.iso.sha256", sha512), ("a.iso.sha256", ""),
            ("a.iso.sha256", "not found"), ("checksums.txt", "# BLAKE2b-256\n\(sha256)  a.iso\n"),
            ("a.iso.DIGESTS", "# WHIRLPOOL HASH\n\(sha512)  a.iso\n"),
            ("checksums.txt", "## b3sum\n\(sha256)  a.iso\n"),
            ("checksums.txt", "# SHA512-256 HASH\n\(sha256)  a.iso\n"),
            ("checksums.txt", "RMD160 checksums:\n\(sha256.prefix(40))  a.iso\n"),
            ("SHA512SUMS", "\(sha256)  a.iso\n"),
            ("checksums.txt", "[xxh128]\n\(sha256.prefix(32))  a.iso\n"),
            ("a.iso.sha256", "<html>\(sha256)</html>"),
            ("a.iso.sha256", "\(sha256)\n\(other)\n"), ("a.iso.sha512", "\(sha256)\n\(sha256)\n"),
            ("a.iso.checksum", "\(sha256.prefix(32))\n\(other.prefix(32))\n"),
            ("a.iso.sha256", "\(sha256.prefix(32))\n\(sha256.prefix(32))\n"),
            ("a.iso.sha256", "\(sha256)  -\n\(other)  b.iso\n"), ("SHA256SUMS", "\(sha256)  -\n"),
            ("a.iso.sha256", "sha512:\(sha256)\n"), ("a.iso.sha256", "sha1:\(sha256)  a.iso\n"),
            ("a.iso.sha256", "\u{FEFF}<html>\(sha256)</html>"),
            ("a.iso.sha256", "\(sha256) \(sha256)"), ("a.iso.sha256", "\(sha256)\u{0}"),
        ])
    func nothing(name: String, text: String) throws {
        #expect(try digest(text, name) == nil)
    }

    @Test("of GitHub and of PyPI has the digests of files by name")
    func tables() throws {
        let release =
            #"{"assets":[{"name":"a.iso","digest":"sha256:\#(Self.sha256)"},{"name":"b","digest":null},{"name":"c"}]}"#
        #expect(
            try KnownDocument.assets(in: Array(release.utf8)).digests.mapValues(\.description) == [
                "a.iso": "sha256=\(Self.sha256)"
            ])
        #expect(try KnownDocument.assets(in: Array(release.utf8)).names == ["a.iso", "b", "c"])
        let project =
            #"{"files":[{"filename":"a.whl","hashes":{"sha256":"\#(Self.sha256)"}},{"filename":"b","hashes":{}}]}"#
        #expect(try KnownDocument.distributions(in: Array(project.utf8)).keys.sorted() == ["a.whl"])
        #expect(throws: DecodingError.self) { try KnownDocument.assets(in: Array("[]".utf8)) }
    }
}
