import Foundation
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

@Suite("Indexes of a Debian repository")
struct DebianIndexTests {
    private static let digest = String(repeating: "a", count: 64)
    private static let root = "https://h/debian/"

    // MARK: URLs

    @Test(
        "the URL of a repository, a suite or its InRelease determines the suite",
        arguments: [
            ("https://h/debian/", "https://h/debian/", []),
            ("https://h/debian", "https://h/debian/", []),
            ("https://h/debian/dists/", "https://h/debian/", []),
            ("https://h/debian/dists/stable", "https://h/debian/", ["stable"]),
            ("https://h/dists/x/dists/stable/updates/InRelease", "https://h/dists/x/", ["stable/updates"]),
            ("https://h/debian/dists/stable/Release.gpg", "https://h/debian/", ["stable"]),
            ("https://h/flat/InRelease", "https://h/flat/", ["./"]),
        ] as [(String, String, [String])])
    func places(url: String, root: String, suites: [String]) throws {
        let source = DebianSource(try Source(url))
        #expect(source.root.url == root && source.suites == suites)
        let isKnown = url.hasSuffix("/InRelease")
        #expect((try MirrorFormat.auto.resolved(for: Source(url)) == .debian) == isKnown)
    }

    @Test(
        "a suite is a directory below the repository",
        arguments: [
            ("stable", "dists/stable/"), ("stable/updates", "dists/stable/updates/"), ("./", ""),
            ("sub/dir/", "sub/dir/"),
        ])
    func directories(suite: String, directory: String) throws {
        #expect(try DebianSource.directory(of: suite) == directory)
    }

    @Test("a suite outside the repository is refused", arguments: ["../x", "/etc", "a/../../b", "", "../"])
    func foreignSuites(suite: String) {
        #expect(throws: DownloadError.self) { try DebianSource.directory(of: suite) }
    }

    // MARK: Release files

    private static func release(_ paths: [String], fields: String = "") -> String {
        "Origin: x\n\(fields)MD5Sum:\n 0 1 main/a\nSHA256:\n"
            + paths.map { " \(digest)  10 \($0)\n" }.joined()
    }

    private func read(_ text: String) throws -> ReleaseFile {
        try ReleaseFile(Array(text.utf8), name: "InRelease")
    }

    @Test("an InRelease contains only its signed text")
    func signed() throws {
        let text = Self.release(
            ["main/binary-amd64/Packages.xz"], fields: "Acquire-By-Hash: yes\nComponents: main contrib\n")
        let plain = try read(text)
        #expect(plain.hasByHash && plain.components == ["main", "contrib"] && plain.indexes.count == 1)
        let signed =
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n- \(text)-----BEGIN PGP SIGNATURE-----\n\nSHA256:\n x\n"
        #expect(try read(signed) == plain)
        #expect(try read(signed.replacing("\n", with: "\r\n")) == plain)
        #expect(throws: DownloadError.self) { try read(signed.replacing("SIGNATURE", with: "OTHER")) }
    }

    @Test(
        "another document is refused",
        arguments: [
            "", "<html>", "Origin: x\n", "SHA256:\n a 1 b\n", "SHA256:\n \(digest) -1 b\n",
            "SHA256:\n \(digest) 1\n",
        ])
    func others(text: String) {
        #expect(throws: DownloadError.self) { try read(text) }
    }

    private static let indexes = [
        "main/binary-amd64/Packages", "main/binary-amd64/Packages.gz", "main/binary-amd64/Packages.xz",
        "main/binary-amd64/Release", "main/binary-arm64/Packages.gz", "main/binary-all/Packages.xz",
        "main/i18n/Translation-en", "main/i18n/Translation-en.bz2", "main/source/Sources.xz",
        "main/Contents-amd64.gz", "contrib/binary-amd64/Packages", "main/dep11/icons.tar.gz",
        "main/debian-installer/binary-amd64/Packages.gz", "main/binary-amd64/Packages.diff/Index",
    ]

    private func selected(
        _ components: [String] = [], _ architectures: [String] = [], fields: String = "",
        of paths: [String] = indexes
    ) throws -> (files: Set<String>, lists: [String]) {
        let release = try read(Self.release(paths, fields: fields))
        let selection = try ReleaseSelection(
            of: release, components: components, architectures: architectures, name: "x")
        return (
            Set(selection.files.map(\.path)), selection.lists.map { $0.forms.first?.index.path ?? "none" }
        )
    }

    @Test("components and architectures are selected, each in all compressed forms")
    func selection() throws {
        let all = try selected(fields: "Components: main contrib\n")
        #expect(
            all.lists == [
                "main/binary-amd64/Packages.xz", "main/binary-arm64/Packages.gz",
                "main/binary-all/Packages.xz", "contrib/binary-amd64/Packages",
            ])
        #expect(!all.files.contains("main/binary-amd64/Packages"))
        #expect(all.files.contains("main/binary-amd64/Packages.gz"))
        #expect(
            try selected(["main"], ["amd64"]).files == [
                "main/binary-amd64/Packages.gz", "main/binary-amd64/Packages.xz",
                "main/binary-amd64/Release", "main/binary-all/Packages.xz", "main/i18n/Translation-en.bz2",
            ])
        #expect(try selected(["main"], ["source"]).files == ["main/source/Sources.xz"])
        #expect(try selected(["contrib"]).files == ["contrib/binary-amd64/Packages"])
        let repeated = try selected(
            ["main"], ["amd64"], fields: "No-Support-for-Architecture-all: Packages\n")
        #expect(repeated.lists == ["main/binary-amd64/Packages.xz"])
        #expect(
            try selected(["main/debian-installer"]).lists == [
                "main/debian-installer/binary-amd64/Packages.gz"
            ])
    }

    @Test("the components of security updates are found by their last name")
    func securityComponents() throws {
        let fields = "Components: updates/main updates/contrib\n"
        let paths = ["main/binary-amd64/Packages.xz", "contrib/binary-amd64/Packages.xz"]
        #expect(try selected(fields: fields, of: paths).files == Set(paths))
        #expect(try selected(["updates/main"], fields: fields, of: paths).lists == [paths[0]])
        #expect(try selected(["main"], fields: fields, of: paths).lists == [paths[0]])
    }

    @Test("a suite without components has one index")
    func flat() throws {
        let paths = ["Packages", "Packages.gz", "Sources.gz", "Release"]
        #expect(try selected(of: paths).files == ["Packages.gz"])
        #expect(try selected([], ["source"], of: paths).files == ["Sources.gz"])
    }

    @Test("missing parts of a suite are named, with the existing ones")
    func missing() throws {
        #expect {
            try selected(["non-free"])
        } throws: {
            ($0 as? DownloadError)?.message.contains("no component 'non-free'; it has contrib, main") == true
        }
        #expect {
            try selected(["main"], ["riscv64"])
        } throws: {
            ($0 as? DownloadError)?.message.contains("no architecture 'riscv64'; it has all, amd64") == true
        }
    }

    // MARK: Files

    private func files(_ text: String, isOfSources: Bool = false, step: Int = .max) throws -> [MirrorEntry] {
        var list = PoolList(isOfSources: isOfSources, root: try Source(Self.root), name: "Packages")
        var (entries, rest): ([MirrorEntry], ArraySlice<UInt8>) = ([], Array(text.utf8)[...])
        while !rest.isEmpty {
            entries += try list.feed(rest.prefix(step))
            rest = rest.dropFirst(step)
        }
        return try entries + list.finish()
    }

    private static func item(_ path: String, _ url: String) throws -> MirrorEntry {
        var item = MirrorItem([try Source(root + url)], path: try RelativePath(path), size: 7)
        item.checksums = [try Checksum(.sha256, digest)]
        return .item(item)
    }

    @Test("an index of packages names files, in pieces of any size", arguments: [1, 7, .max])
    func packages(step: Int) throws {
        let text = """
            Package: a
            Filename: pool/a/a_1%3a+x~1_all.deb
            Description: first
             Size: 8
             .
            Size:  7\u{20}
            SHA256: \(Self.digest)

            Package: b
            size: 7
            filename: ./b b.deb
            sha256: \(Self.digest.uppercased())


            Package: no file
            """
        let entries = try files(text, step: step)
        #expect(
            Array(entries.prefix(2)) == [
                try Self.item("pool/a/a_1%3a+x~1_all.deb", "pool/a/a_1%253a%2Bx~1_all.deb"),
                try Self.item("b b.deb", "b%20b.deb"),
            ])
        #expect(entries.count == 2)
    }

    @Test("an index of sources names the files of each source")
    func sources() throws {
        let text = """
            Package: a
            Directory: pool/a
            Files:
             0 7 a.dsc
            Checksums-Sha256:
             \(Self.digest) 7 a.dsc
             \(Self.digest) 7 a.tar.xz
            """
        #expect(
            try files(text, isOfSources: true) == [
                try Self.item("pool/a/a.dsc", "pool/a/a.dsc"),
                try Self.item("pool/a/a.tar.xz", "pool/a/a.tar.xz"),
            ])
    }

    @Test(
        "a paragraph that names no file that can be mirrored is unusable",
        arguments: [
            "Filename: ../../etc/passwd\nSize: 1\nSHA256: \(digest)\n",
            "Filename: /etc/passwd\nSize: 1\nSHA256: \(digest)\n",
            "Filename: pool/x\nSize: -1\nSHA256: \(digest)\n",
            "Filename: pool/x\nSize: 99999999999999999999\nSHA256: \(digest)\n",
            "Filename: pool/x\nSize: 1\nSHA256: abc\n", "Filename: pool/x\nSize: 1\n", "Filename: pool/x\n",
        ])
    func unusable(text: String) throws {
        let entries = try files(text)
        guard entries.count == 1, case .unusable = entries[0] else {
            Issue.record("\(entries)")
            return
        }
    }

    @Test("a document that is not an index is refused, and so is an endless paragraph")
    func noIndex() throws {
        #expect(throws: DownloadError.self) { try files("<html>\n") }
        #expect(throws: DownloadError.self) {
            try files(String(repeating: "x", count: LineSplitter.maximumLineBytes + 1))
        }
        let line = " " + String(repeating: "x", count: 1_000_000) + "\n"
        #expect(throws: DownloadError.self) {
            try files("Description: x\n" + String(repeating: line, count: 20))
        }
    }
}

@Suite("Unpacking")
struct UnpackerTests {
    private static let text = Array("Package: a\n\n".utf8)
    private static let packed: [(Unpacker.Packing, String)] = [
        (.gzip, "H4sIAAAAAAACAwtITM5OTE+1Ukjk4gIArJb3IAwAAAA="),
        (.xz, "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQALUGFja2FnZTogYQoKAJ/SeyYsHiPBAAEkDKYY2NgftvN9AQAAAAAEWVo="),
        (.none, "UGFja2FnZTogYQoK"),
    ]

    private func unpacked(
        _ bytes: [UInt8], _ packing: Unpacker.Packing, step: Int = .max, limit: Int64 = 1 << 20
    ) throws -> [UInt8] {
        let unpacker = try Unpacker(packing, limit: limit, name: "x")
        var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], bytes[...])
        while !rest.isEmpty {
            try unpacker.feed(rest.prefix(step)) { result += $0 }
            rest = rest.dropFirst(step)
        }
        try unpacker.finish()
        return result
    }

    @Test("returns the document, in pieces of any size, and of several members", arguments: [1, 5, .max])
    func whole(step: Int) throws {
        for (packing, text) in Self.packed {
            let bytes = Array(try #require(Data(base64Encoded: text)))
            #expect(try unpacked(bytes, packing, step: step) == Self.text)
            #expect(try unpacked(bytes + bytes, packing, step: step) == Self.text + Self.text)
        }
    }

    @Test("refuses truncated, damaged or oversized data")
    func faults() throws {
        for (packing, text) in Self.packed {
            let bytes = Array(try #require(Data(base64Encoded: text)))
            #expect(throws: DownloadError.self) { try unpacked(bytes, packing, limit: 11) }
            guard packing != .none else { continue }
            #expect(throws: DownloadError.self) { try unpacked(Array(bytes.dropLast()), packing) }
            #expect(throws: DownloadError.self) { try unpacked(bytes + [1, 2, 3], packing) }
            #expect(throws: DownloadError.self) { try unpacked([], packing) }
            var damaged = bytes
            damaged[bytes.count / 2] ^= 0xff
            #expect(throws: DownloadError.self) { try unpacked(damaged, packing) }
        }
    }

    @Test(
        "returns a document that is much longer than its compressed form",
        arguments: [Unpacker.Packing.gzip, .xz])
    func long(packing: Unpacker.Packing) async throws {
        // A run of one byte, packed by the system's program.
        let count = 3_000_000
        let program = packing == .gzip ? "gzip" : "xz"
        let process = try ChildProcess(
            "/bin/sh", ["-c", "head -c \(count) /dev/zero | \(program) -c | base64 -w0"])
        let packed = Array(try #require(Data(base64Encoded: await process.result().output)))
        #expect(try unpacked(packed, packing, limit: Int64(count)) == [UInt8](repeating: 0, count: count))
        #expect(throws: DownloadError.self) { try unpacked(packed, packing, limit: Int64(count) - 1) }
    }
}
