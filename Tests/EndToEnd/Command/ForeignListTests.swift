import Foundation
import TestSupport
import Testing

/// A script with `segdl verify LIST && install` must not continue because the list was mistaken for a file.
@Suite("segdl verify with lists that it cannot check")
struct ForeignListTests {
    private let directory: TemporaryDirectory
    private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    private static let long = ofABC + ofABC

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("abc", to: "a.txt")
    }

    private func expectRefused(_ name: String, _ says: String) async throws {
        let result = try await Segdl.run(["verify", name], in: directory)
        #expect(result.status == 64 && result.output == "", "\(result)")
        #expect(result.errors.contains(name) && result.errors.contains("was not checked"), "\(result)")
        #expect(result.errors.contains(says), "\(says): \(result)")
        #expect(!result.errors.contains("download it again"), "\(result)")
    }

    @Test(
        "fails for unknown digests, whatever the list is named",
        arguments: [
            ("hashes.txt", "BLAKE2b (a.txt) = \(long)\n", "BLAKE2b digests, which b2sum -c checks"),
            ("list", "BLAKE2b-256 (a.txt) = \(ofABC)\n", "BLAKE2b-256 digests, which b2sum -c checks"),
            ("disk.b3", "BLAKE3 (a.txt) = \(ofABC)\n", "BLAKE3 digests, which b3sum -c checks"),
            ("list", "# all\r\nSHA3-256(a.txt)= \(ofABC)\r\n", "SHA3-256 digests, which segdl does not know"),
            ("sums.txt", "SM3 (a.txt) = \(ofABC)\n", "or use a list written by sha256sum"),
            ("list", "SHA256 (a.txt) = ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfI=\n", "are abbreviated"),
            ("list", "\(ofABC)ab  a.txt\n\(ofABC)cd *b.txt\n", "digests of an unknown kind"),
        ])
    func unknown(name: String, text: String, says: String) async throws {
        try directory.write(text, to: name)
        try await expectRefused(name, says)
        let piped = try await Segdl.run(["verify", "-"], in: directory, input: text)
        #expect(piped.status == 64 && piped.errors.contains(says), "\(piped)")
    }

    @Test(
        "fails for a list in UTF-16",
        arguments: [
            "\(ofABC)  a.txt\r\n", "SHA256 (a.txt) = \(ofABC)\n", "BLAKE2b (a.txt) = \(long)\n",
        ], ["hashes.txt", "SHA256SUMS"])
    func wide(text: String, name: String) async throws {
        for (mark, encoding) in [
            ([0xff, 0xfe], .utf16LittleEndian), ([0xfe, 0xff], .utf16BigEndian),
        ] as [([UInt8], String.Encoding)] {
            let bytes = try #require(text.data(using: encoding))
            try (Data(mark) + bytes).write(to: URL(filePath: directory.file(name)))
            try await expectRefused(name, "it is a list in UTF-16; save it as UTF-8")
        }
    }

    @Test(
        "fails for lists of BLAKE2 or BLAKE3 digests, by their names and without a SHA",
        arguments: [
            ("B2SUMS", "b2sum"), ("x.b2", "b2sum"), ("x.b2sum", "b2sum"), ("x.b2sums", "b2sum"),
            ("x.blake2b", "b2sum"), ("b2sums.txt", "b2sum"), ("x.b3", "b3sum"), ("B3SUMS", "b3sum"),
        ])
    func named(name: String, program: String) async throws {
        let digest = program == "b2sum" ? Self.long : Self.ofABC
        for text in ["\(digest)  a.txt\n", "\(digest)\n"] {
            try directory.write(text, to: name)
            try await expectRefused(name, "which \(program) -c checks")
        }
        // A tag is more reliable than a name.
        try directory.write("SHA256 (a.txt) = \(Self.ofABC)\n", to: name)
        let tagged = try await Segdl.run(["verify", name], in: directory)
        #expect(tagged.status == 0 && tagged.errors.contains("a.txt: sha256 matches"), "\(tagged)")
    }

    @Test(
        "prints the digest of a file that is not a list",
        arguments: [
            "", "words\n", "f(x) = 12\ng(y) = 34\n", "BLAKE2b (a.txt) = \(long)\nmore\nwords\n",
            "1700000000000000000  a line of a log\n", "\(ofABC)ab\n", "see BLAKE2b (a.txt) = \(long)\n",
        ])
    func data(text: String) async throws {
        try directory.write(text, to: "data.txt")
        for bytes in [
            Data(text.utf8), Data([0xff, 0xfe]) + (text.data(using: .utf16LittleEndian) ?? Data()),
        ] {
            try bytes.write(to: URL(filePath: directory.file("data.txt")))
            let result = try await Segdl.run(["verify", "data.txt"], in: directory)
            #expect(result.status == 0 && result.output.hasSuffix("  data.txt\n"), "\(result)")
        }
    }
}
