import Testing

@testable import SegmentedDL

@Suite("Lists of checksums")
struct ChecksumListTests {
    private static let md5 = "5eb63bbbe01eeed093cb22bb8f5acdc3"
    private static let sha256 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"

    private func parsed(_ text: String) -> [String] {
        ChecksumList(text).entries.map { "\($0.name)|\($0.checksum)" }
    }

    @Test("are read as written by GNU tools")
    func gnu() {
        #expect(
            parsed("\(Self.sha256)  a b.iso\n\(Self.md5) *dir/c\r\n\n# note\n") == [
                "a b.iso|sha256=\(Self.sha256)", "dir/c|md5=\(Self.md5)",
            ])
        #expect(parsed("\(Self.md5.uppercased())  x") == ["x|md5=\(Self.md5)"])
        #expect(parsed("\\\(Self.md5)  a\\\\b\\nc") == ["a\\b\nc|md5=\(Self.md5)"])
        #expect(parsed("\(Self.md5)   leading") == [" leading|md5=\(Self.md5)"])
    }

    @Test("are read as written by BSD tools and OpenSSL")
    func bsd() {
        #expect(
            parsed("SHA256 (a (1).iso) = \(Self.sha256)\nMD5 (b) = \(Self.md5)") == [
                "a (1).iso|sha256=\(Self.sha256)", "b|md5=\(Self.md5)",
            ])
        #expect(parsed("SHA2-256(x)= \(Self.sha256)") == ["x|sha256=\(Self.sha256)"])
    }

    @Test(
        "report each invalid line",
        arguments: [
            "hello", "\(md5)", "\(md5)  ", "123  x", "SHA256 (x) = \(md5)", "SHA256 (x) \(sha256)",
            "\\\(md5)  bad\\x", "\(md5)  a\0b", "BLAKE2b (x) = \(sha256)", "SIZE (x) = 12",
        ])
    func strange(line: String) {
        let list = ChecksumList("# note\n\(line)\n\(Self.md5)  x\n")
        #expect(list.entries.map(\.name) == ["x"])
        #expect(list.unreadableLines == [2])
    }

    @Test("are read with a byte order mark, one space, a tab, comments and a signature")
    func forms() {
        #expect(parsed("\u{FEFF}\(Self.md5)  x") == ["x|md5=\(Self.md5)"])
        #expect(
            parsed("\(Self.md5) x\n\(Self.md5)\ty\n; note") == ["x|md5=\(Self.md5)", "y|md5=\(Self.md5)"])
        let signed = ChecksumList(
            """
            -----BEGIN PGP SIGNED MESSAGE-----
            Hash: SHA512

            \(Self.md5)  x

            \(Self.md5)  y
            -----BEGIN PGP SIGNATURE-----

            iQIzBAEBCgAdFiEE
            -----END PGP SIGNATURE-----
            """)
        #expect(signed.entries.map(\.name) == ["x", "y"])
        #expect(signed.unreadableLines == [])
        #expect(ChecksumList("").entries == [])
    }

    @Test(
        "write entries that they can read", arguments: ["plain", " blank ", "a\\b", "a\nb\rc", "\u{301}mark"])
    func roundTrip(name: String) throws {
        let entry = ChecksumList.Entry(name: name, checksum: try Checksum(.md5, Self.md5))
        #expect(ChecksumList(entry.description).entries == [entry])
    }
}
