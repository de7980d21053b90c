import Foundation
import TestContent
import TestSupport
import Testing

@Suite("Files that aria2's command line finds")
struct Aria2FilesTests {
    private static let size: Int64 = 3_000_000
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func aria2c(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(["aria2c", "--no-conf"] + arguments, in: directory)
    }

    private var content: [UInt8] { TestContent(seed: 1).bytes(0..<Self.size) }

    private func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(filePath: directory.file(name)))
    }

    @Test(
        "are resumed next to aria2's control file, which is removed on completion",
        arguments: [[], ["-o", "f"], ["--allow-overwrite=true"], ["--auto-file-renaming=false"], ["-Z"]])
    func controlFile(options: [String]) async throws {
        let server = try await SharedServer.scenario()
        try write(content[..<2_000_000], to: "f")
        try directory.write("aria2's state", to: "f.aria2")
        let result = try await aria2c(options + [server.url("plain", Self.size, name: "f")])
        #expect(result.status == 0 && result.output.contains("2000000 bytes of another program"), "\(result)")
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == content)
    }

    @Test("are left unchanged, with a message, if the name is a symbolic link")
    func linked() async throws {
        let server = try await SharedServer.scenario()
        try write(content[..<2_000_000], to: "real")
        try directory.link("f", to: "real")
        let result = try await aria2c(["-c", server.url("plain", Self.size, name: "f")])
        #expect(result.status != 0 && result.output.contains("is a symbolic link"), "\(result)")
        #expect(directory.names == ["f", "real"])
        #expect(try directory.filePath("f").linkTarget() == "real")
        #expect(try directory.read("real") == Array(content[..<2_000_000]))
    }

    @Test("are also resumed from a list")
    func list() async throws {
        let server = try await SharedServer.scenario()
        try write(content[..<2_000_000], to: "f")
        try directory.write("aria2's state", to: "f.aria2")
        try directory.write("\(server.url("plain", Self.size, name: "x"))\n out=f\n", to: "list")
        let result = try await aria2c(["-i", "list"])
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f", "list"])
        #expect(try directory.read("f") == content)
    }

    @Test("of a list in GBK keep the bytes of their URLs and names")
    func gbk() async throws {
        let server = try await SharedServer.scenario()
        let start = server.url("plain", 1000, "x=")
        var list: [UInt8] = []
        for byte: UInt8 in [0xd6, 0xd7] {
            list += Array(start.utf8) + [byte] + Array("\n out=".utf8) + [byte] + Array("\n".utf8)
        }
        try write(list, to: "list")
        let result = try await aria2c(["-i", "list"])
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["%D6", "%D7", "list"])
        let targets = try await server.requests().map(\.target)
        for escape in ["%D6", "%D7"] {
            #expect(targets.contains { $0.hasSuffix("x=" + escape) }, "\(targets)")
        }
    }

    @Test(
        "do not have the name of the log or the session", arguments: ["log", "save-session"],
        ["f", "f.part"])
    func sameName(option: String, name: String) async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("plain", Self.size, name: "x")
        let result = try await aria2c(["--\(option)=\(name)", "-o", "f", url])
        #expect(result.status == 28 && result.errors.contains("--\(option)"), "\(result)")
        #expect(directory.names.isEmpty)
    }

    @Test("of a list without a URI are an error, and each line is reported")
    func noURIs() async throws {
        try directory.write("127.0.0.1/x\nsecond\n", to: "list")
        let result = try await aria2c(["-i", "list"])
        #expect(result.status == 1 && result.output.contains("No files to download."), "\(result)")
        for line in ["127.0.0.1/x", "second"] {
            #expect(result.output.contains("unsupported protocol: \(line)"), "\(result)")
        }
        try directory.write("# nothing\n", to: "list")
        #expect(try await aria2c(["-i", "list"]).status == 0)
    }

    @Test("that aria2 has not finished are restarted by its options for that")
    func startOver() async throws {
        let server = try await SharedServer.scenario()
        try write([UInt8](repeating: 0, count: 1000), to: "f")
        try directory.write("aria2's state", to: "f.aria2")
        let result = try await aria2c([
            "--allow-overwrite=true", "--remove-control-file=true",
            server.url("plain", Self.size, name: "f"),
        ])
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == content)
    }

    @Test("are left unchanged, with a message, if aria2's bytes differ from the server's")
    func foreign() async throws {
        let server = try await SharedServer.scenario()
        try directory.write(String(repeating: "other", count: 20_000), to: "f")
        try directory.write("aria2's state", to: "f.aria2")
        let result = try await aria2c([server.url("plain", Self.size, name: "f")])
        #expect(result.status != 0, "\(result)")
        #expect(result.output.contains("cannot be resumed, because it is not the beginning"), "\(result)")
        #expect(directory.names == ["f", "f.aria2"])
    }

    @Test("are left unchanged, with a message, if only the response shows that aria2 has not finished them")
    func namedByAnswer() async throws {
        let server = try await SharedServer.scenario()
        try write(content[..<2_000_000], to: "late")
        try directory.write("aria2's state", to: "late.aria2")
        let url =
            server.url("plain", Self.size, name: "f") + "&disposition=attachment;filename=late"
        let result = try await aria2c([url])
        #expect(result.status == 13 && result.output.contains("specify it with --out"), "\(result)")
        #expect(directory.names == ["late", "late.aria2"])
        let named = try await aria2c(["-o", "late", url])
        #expect(named.status == 0, "\(named)")
        #expect(directory.names == ["late"])
    }

    @Test(
        "are resumed with -c, whatever an earlier run created next to them",
        arguments: [["-c"], ["--continue=true", "--out=f.bin"], ["-c", "-o", "f.bin"]])
    func continued(options: [String]) async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("plain", Self.size, name: "f.bin")
        try write(content[..<2_000_000], to: "f.bin")
        let other = try await aria2c([url])
        #expect(other.status == 0 && directory.names == ["f.1.bin", "f.bin"], "\(other)")
        let result = try await aria2c(options + [url])
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f.1.bin", "f.bin"])
        #expect(try directory.read("f.bin") == content)
        let again = try await aria2c(options + [url])
        #expect(again.status == 0, "\(again)")
        #expect(directory.names == ["f.1.bin", "f.bin"])
    }

    @Test(
        "that are Metalinks are refused by name or type, and saved with --follow-metalink=false",
        arguments: ["disk.meta4", "disk.METALINK", "disk", "other"])
    func metalink(name: String) async throws {
        let server = try await SharedServer.scenario()
        var url = server.url("plain", 1000, name: name)
        if name == "disk" { url += "&ctype=application/metalink4%2Bxml" }
        if name == "other" { url += "&disposition=attachment;filename=disk.meta4" }
        let result = try await aria2c([url])
        #expect(result.status == 1 && result.output.contains("segdl mirror URL DIR"), "\(result)")
        #expect(directory.names.isEmpty)
        let saved = try await aria2c(["--follow-metalink=false", url])
        #expect(saved.status == 0, "\(saved)")
        #expect(directory.names == [name == "other" ? "disk.meta4" : name])
        // A 304 response does not state the file's type.
        guard name != "disk" else { return }
        let again = try await aria2c([url])
        #expect(again.status == 1, "\(again)")
    }

    @Test("used as a list are refused if they are compressed")
    func compressedList() async throws {
        try directory.write("http://127.0.0.1:1/f\n", to: "list")
        let zip = try await ChildProcess("/usr/bin/gzip", ["-n", directory.file("list")]).result()
        #expect(zip.status == 0, "\(zip)")
        let result = try await aria2c(["-i", "list.gz"])
        #expect(result.status == 1 && result.errors.contains("so it is not a list"), "\(result)")
    }

    @Test("are numbered with -c if they are longer, and the numbered one later counts as complete")
    func longer() async throws {
        let server = try await SharedServer.scenario()
        try directory.write(String(repeating: "0", count: 2000), to: "f")
        for _ in 0..<2 {
            let result = try await aria2c(["-c", server.url("plain", 1000, name: "f")])
            #expect(result.status == 0, "\(result)")
            #expect(directory.names == ["f", "f.1"])
        }
    }

    @Test(
        "are left unchanged with -c, and no other is created, if they cannot be resumed",
        arguments: [
            ("no-ranges", 1, "the server sends no byte ranges"),
            ("chunked", 1, "does not state the length"), ("plain", 2, "is not the beginning"),
        ] as [(String, UInt64, String)], [[], ["-o", "f"]])
    func notContinued(kind: (String, UInt64, String), options: [String]) async throws {
        let (behaviour, seed, says) = kind
        let server = try await SharedServer.scenario()
        let begun = TestContent(seed: seed).bytes(0..<2_000_000)
        try write(begun, to: "f")
        let result = try await aria2c(["-c"] + options + [server.url(behaviour, Self.size, name: "f")])
        #expect(result.status == 16 && result.output.contains(says), "\(result)")
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == begun)
    }

    @Test("that have grown since completion are left unchanged, not renumbered, with -c")
    func completedEarlier() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("changing", Self.size, name: "f", "by=total")
        let first = try await aria2c(["-s1", url])
        #expect(first.status == 0, "\(first)")
        for _ in 0..<2 {
            let result = try await aria2c(["-c", url])
            #expect(
                result.status == 13 && result.output.contains("the server's file now has 3001000"),
                "\(result)")
        }
        #expect(directory.names == ["f"])
        #expect(try directory.read("f") == content)
        let replaced = try await aria2c(["-c", "--allow-overwrite=true", url])
        #expect(replaced.status == 0, "\(replaced)")
        #expect(try directory.read("f").count == 3_001_000)
    }

    @Test("with the same name in one run are numbered with -c even if none existed before")
    func sameNames() async throws {
        let server = try await SharedServer.scenario()
        let urls = [1000, 2000].map { server.url("plain", Int64($0), name: "f") }
        let result = try await aria2c(["-c", "-Z", "-j1"] + urls)
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["f", "f.1"])
    }
}
