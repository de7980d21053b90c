import TestSupport
import Testing

@Suite("segdl verify")
struct VerifyTests {
    private let directory: TemporaryDirectory
    private static let ofABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

    init() throws {
        directory = try TemporaryDirectory()
        try directory.write("abc", to: "a b.txt")
        try directory.write("", to: "empty")
    }

    private func verify(_ arguments: String...) async throws -> ChildProcess.Result {
        try await Segdl.run(["verify"] + arguments, in: directory)
    }

    @Test("prints digests in a format that sha256sum and segdl verify check")
    func prints() async throws {
        let printed = try await verify("a b.txt", "empty")
        #expect(printed.status == 0)
        #expect(printed.output.hasPrefix("\(Self.ofABC)  a b.txt\n"))
        #expect(!printed.errors.contains("done") && !printed.errors.contains("files"), "\(printed)")
        try directory.write(printed.output, to: "SHA256SUMS")
        let own = try await verify("SHA256SUMS")
        #expect(own.status == 0, "\(own.errors)")
        #expect(own.errors.contains("a b.txt: sha256 matches"))
        let theirs = try await ChildProcess(
            "/usr/bin/sha256sum", ["-c", "SHA256SUMS"], directory: directory.path
        ).result()
        #expect(theirs.status == 0)
    }

    @Test("--ignore-missing skips missing files of a list if at least one exists and is correct")
    func ignoresMissing() async throws {
        let other = String(repeating: "0", count: 64)
        try directory.write("\(Self.ofABC)  a b.txt\n\(other)  gone.iso\n", to: "SHA256SUMS")
        #expect(try await verify("SHA256SUMS").status == 1)
        let right = try await verify("--ignore-missing", "SHA256SUMS")
        #expect(right.status == 0 && !right.errors.contains("gone.iso"), "\(right)")
        try directory.write("\(Self.ofABC)  a b.txt\n\(other)  gone.iso\n\(other)  empty\n", to: "SHA256SUMS")
        let wrong = try await verify("--ignore-missing", "SHA256SUMS")
        #expect(wrong.status == 1 && wrong.errors.contains("empty: it has sha256"), "\(wrong)")
        try directory.write("\(other)  gone.iso\n", to: "SHA256SUMS")
        let none = try await verify("--ignore-missing", "SHA256SUMS")
        #expect(none.status == 5 && none.errors.contains("nothing was checked"), "\(none)")
        #expect(try await verify("--ignore-missing", "--checksum", other, "empty").status == 64)
    }

    @Test("names the list in a directory given instead of it")
    func directoryGiven() async throws {
        let empty = try TemporaryDirectory()
        let none = try await verify(empty.path)
        #expect(none.status != 0 && none.errors.contains("is a directory; specify its files"), "\(none)")
        #expect(none.errors.contains("segdl verify -d \(empty.path) SHA256SUMS."), "\(none)")
        try directory.write("\(Self.ofABC)  a b.txt\n", to: "SHA256SUMS")
        let result = try await verify(directory.path)
        #expect(result.status != 0, "\(result)")
        #expect(result.errors.contains("specify its list, \(directory.file("SHA256SUMS"))."), "\(result)")
    }

    @Test("resolves names relative to the list, whatever the working directory")
    func relative() async throws {
        try directory.write("MD5 (a b.txt) = 900150983cd24fb0d6963f7d28e17f72\n", to: "MD5SUMS")
        let result = try await Segdl.run(["verify", directory.file("MD5SUMS")])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        "reads a list from standard input, relative to the working directory",
        arguments: [["-"], ["/dev/stdin"], []])
    func standardInput(names: [String]) async throws {
        func verify(_ list: String) async throws -> ChildProcess.Result {
            try await Segdl.run(["verify"] + names, in: directory, input: list)
        }
        #expect(try await verify("\(Self.ofABC)  a b.txt\n").status == 0)
        let wrong = try await verify("\(Self.ofABC)  empty\n")
        #expect(wrong.status == 4 && wrong.errors.contains("empty: it has"), "\(wrong)")
        let none = try await verify("no list\n")
        #expect(none.status == 64 && none.errors.contains("not a list of checksums"), "\(none)")
    }

    @Test("checks the files that a Metalink names")
    func metalink() async throws {
        let text = """
            <metalink xmlns="urn:ietf:params:xml:ns:metalink"><file name="a b.txt">
            <hash type="sha-256">\(Self.ofABC)</hash><url>http://127.0.0.1:1/a</url></file></metalink>
            """
        try directory.write(text, to: "x.meta4")
        let right = try await verify("x.meta4")
        #expect(right.status == 0 && right.errors.contains("a b.txt: sha256 matches"), "\(right)")
        try directory.write("abd", to: "a b.txt")
        let wrong = try await verify("x.meta4")
        #expect(wrong.status == 4 && wrong.errors.contains("a b.txt: it has"), "\(wrong)")
        let other = try await verify("--repair", "a b.txt")
        #expect(other.status == 64 && other.errors.contains("is not a Metalink"), "\(other)")
    }

    @Test("reports a wrong file with both digests, and continues with the others")
    func mismatch() async throws {
        let wrong = String(repeating: "0", count: 64)
        try directory.write("\(wrong)  a b.txt\n\(Self.ofABC)  gone\n\(wrong)  empty\n", to: "list")
        let result = try await verify("list")
        #expect(result.status == 1)
        for part in [
            wrong, Self.ofABC, "a b.txt: it has", "gone: it is missing", "empty: it has",
            "0 of 3 files right, 3 failed",
        ] {
            #expect(result.errors.contains(part), "\(part): \(result.errors)")
        }
    }

    @Test("exits with 4 for a wrong file, 5 for a missing one, 64 for an invalid digest")
    func statuses() async throws {
        let zero = String(repeating: "0", count: 64)
        #expect(try await verify("--checksum", "sha256=\(Self.ofABC)", "a b.txt").status == 0)
        #expect(try await verify("--checksum", "sha256=\(zero)", "a b.txt").status == 4)
        #expect(try await verify("--checksum", "sha256=\(zero)", "gone").status == 5)
        #expect(try await verify(".").status == 5)
        #expect(try await verify("--checksum", "sha256=12", "a b.txt").status == 64)
        #expect(try await verify("--checksum", "sha256=\(zero)", "a b.txt", "empty").status == 64)
        #expect(try await verify().status == 64)
    }

    @Test(
        "does not accept an empty check",
        arguments: [
            ("SHA256SUMS", ""), ("SHA256SUMS", "only words\n"), ("disk.sfv", "a b.txt 352441C2\n"),
            ("disk.crc", "352441C2\n"), ("disk.md5sums", "9001\n"), ("CHECKSUM.txt", "9001\n"),
            ("SHA256SUMS.sign", "9001\n"), ("a b.txt.sha256", "\(ofABC.dropLast())\n"),
            ("list", "\(ofABC)  a b.txt\nwhat is this?\n"),
            ("list", "\(ofABC)  a b.txt\n\(ofABC.dropLast())  empty\n"),
        ])
    func notChecked(name: String, text: String) async throws {
        try directory.write(text, to: name)
        let result = try await verify(name)
        #expect(result.status != 0)
        #expect(result.errors.contains(name) && result.errors.contains("was not checked"), "\(result.errors)")
        #expect(result.output == "")
    }

    @Test(
        "finds the file next to --directory for a list in either case",
        arguments: ["", "9001 3 a b.txt\n", "\(ofABC)  a b.txt\0", "\0\u{1}"])
    func noList(text: String) async throws {
        try directory.write(text, to: "L")
        let result = try await verify("-d", directory.path, "L")
        #expect(result.status == 64 && result.output == "", "\(result)")
        #expect(result.errors.contains("L: it is not a list of checksums"), "\(result)")
        #expect(try await verify("-d", directory.path, "gone").status == 5)
        #expect(try await verify("L").status == 0)
    }

    @Test(
        "applies a lone digest to the file whose name precedes the extension",
        arguments: [".sha256", ".SHA256", ".sha256sum"])
    func digestAlone(ending: String) async throws {
        try directory.write("\(Self.ofABC)\n", to: "a b.txt\(ending)")
        let right = try await verify(directory.file("a b.txt\(ending)"))
        #expect(right.status == 0 && right.errors.contains("a b.txt: sha256 matches"), "\(right)")
        try directory.write("abd", to: "a b.txt")
        let wrong = try await verify("-q", "a b.txt\(ending)")
        #expect(wrong.status == 4 && wrong.errors.contains("a b.txt: it has"), "\(wrong)")
    }

    @Test("treats a binary file as data, although it may contain a list")
    func listInside() async throws {
        try directory.write("\0\n\(Self.ofABC)  gone\n", to: "disk.img")
        let result = try await verify("disk.img")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.hasSuffix("  disk.img\n"))
    }

    @Test("reports a full standard output")
    func fullOutput() async throws {
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "\"$0\" verify -q empty > /dev/full", Segdl.path], directory: directory.path)
        #expect(await shell.result().status != 0)
    }

    @Test("does not wait for a pipe")
    func pipe() async throws {
        _ = try await ChildProcess("/usr/bin/mkfifo", [directory.file("pipe")]).result()
        let result = try await verify("pipe")
        #expect(result.status == 5)
        #expect(result.errors.contains("not a regular file"))
    }

    @Test("reports JSON for programs")
    func json() async throws {
        let result = try await verify(
            "--progress", "json", "--checksum", "sha256=\(Self.ofABC)", "a b.txt")
        #expect(result.status == 0)
        #expect(
            result.output.contains(
                #""event":"verified","id":0,"url":"","name":"a b.txt","bytes":3,"digest":"sha256=\#(Self.ofABC)","expected":true"#
            ), "\(result.output)")
    }
}
