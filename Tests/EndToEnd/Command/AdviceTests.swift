import Foundation
import SegmentedDL
import TestSupport
import Testing

@Suite("The advice of a message")
struct AdviceTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws
        -> ChildProcess.Result
    {
        try await Segdl.run(arguments, in: directory, environment: environment)
    }

    @Test("names the command that fetches a file which is missing or wrong")
    func verify() async throws {
        let digest = String(repeating: "0", count: 64)
        try directory.write("text", to: "a b")
        try directory.write("\(digest)  a b\n\(digest)  gone\n", to: "SHA256SUMS")
        let result = try await run(["verify", "SHA256SUMS"])
        #expect(
            result.errors.contains(
                "download it again, for example with segdl --if-exists replace -o 'a b' URL"),
            "\(result)")
        #expect(
            result.errors.contains("it is missing; download it, for example with segdl -o gone URL"),
            "\(result)")
    }

    @Test("explains ranges in a URL to a shell user, and -b without a value")
    func habits() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("status", 10, name: "f00[1-3].dat", "code=404")
        let ranges = try await run([url])
        #expect(ranges.status == 3 && ranges.errors.contains("/f00{1..3}.dat"), "\(ranges)")
        for line in [["-b", url], [url, "-b"], ["-b", "-q", url]] {
            let background = try await run(line)
            #expect(background.status == 64 && background.errors.contains("-b NAME=VALUE"), "\(background)")
        }
    }

    @Test(
        "points out the quotes around a URL",
        arguments: ["\"http://h/f\"", "'http://h/f'", "<http://h/f>", "“http://h/f”"])
    func quotes(text: String) async throws {
        try directory.write(text + "\n", to: "list")
        let result = try await run(["-i", "list"])
        #expect(result.status == 64 && result.errors.contains("remove the quotes"), "\(result)")
    }

    @Test("names the file that is not a directory, even when another directory follows")
    func noDirectory() async throws {
        let server = try await SharedServer.scenario()
        try directory.write("", to: "afile")
        for place in ["afile", "./afile", "afile/sub"] {
            let result = try await run(["-d", place, server.url("plain", 100)])
            #expect(result.status == 5 && result.errors.contains("'afile"), "\(result)")
            #expect(result.errors.contains("not a directory; choose another"), "\(result)")
            #expect(!result.errors.contains(".segdl"), "\(result)")
        }
    }

    @Test("names files consistently, without ./")
    func paths() async throws {
        let server = try await SharedServer.scenario()
        try directory.write("another", to: "file.bin")
        let result = try await run([server.url("plain", 100)])
        #expect(result.status == 5 && result.errors.contains(": 'file.bin' exists"), "\(result)")
        #expect(result.errors.contains("or set a policy for existing files (--if-exists"), "\(result)")
    }

    @Test("is a notice if the default configuration file is unreadable, and an error if the file was named")
    func configuration() async throws {
        let server = try await SharedServer.scenario()
        // Root can read any file except a symbolic link loop.
        _ = try await ChildProcess("/bin/ln", ["-s", "loop", directory.file("loop")]).result()
        let home = ["HOME": directory.file("loop"), "XDG_CONFIG_HOME": ""]
        let usual = try await run(["-o", "f", server.url("plain", 100)], home)
        #expect(
            usual.status == 0 && usual.errors.contains("is ignored, because it cannot be read"),
            "\(usual)")
        let ignored = try await run(["--no-conf", "-o", "g", server.url("plain", 100)], home)
        #expect(ignored.status == 0 && !ignored.errors.contains("count"), "\(ignored)")
        let optional = try await run(["--netrc-optional", "-o", "h", server.url("plain", 100)], home)
        #expect(optional.status == 0, "\(optional)")
        let named = try await run(["--conf", directory.file("loop/x"), "-o", "i", server.url("plain", 100)])
        #expect(named.status == 64, "\(named)")
        let doctor = try await run(["doctor"], home)
        #expect(doctor.output.contains("is ignored"), "\(doctor)")
    }

    @Test("is not given if the home directory has no configuration", arguments: ["missing", "file", "other"])
    func otherHomes(home: String) async throws {
        let server = try await SharedServer.scenario()
        try directory.write("", to: "file")
        // A directory in place of the file.
        _ = try await ChildProcess("/bin/mkdir", ["-p", directory.file("other/.config/segdl/config")])
            .result()
        let result = try await run(
            ["-o", "f", server.url("plain", 100)],
            ["HOME": directory.file(home), "XDG_CONFIG_HOME": ""])
        #expect(result.status == 0 && !result.errors.contains("count"), "\(result)")
    }

    @Test("from segdl doctor lists the options that a file sets, without their values")
    func doctor() async throws {
        try directory.write("limit-rate = 20M\nuser = me:secret\n", to: "config")
        let result = try await run(["--conf", "config", "doctor"])
        #expect(result.output.contains("from config: --limit-rate --user"), "\(result)")
        #expect(!result.output.contains("secret"), "\(result)")
    }

    @Test("does not claim that a source was verified if several were used without a digest")
    func sources() async throws {
        let server = try await SharedServer.scenario()
        let result = try await run([
            "-s", "4", "-o", "f", "--mirror", server.url("plain", 4_000_000, "rate=400000"),
            server.url("plain", 4_000_000, name: "other", "rate=400000"),
        ])
        #expect(result.status == 0, "\(result)")
        #expect(result.errors.contains("from several sources and not verified (--checksum)"), "\(result)")
    }

    @Test("a background job of a script leaves SIGINT to the others")
    func background() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("plain", 3_000_000, "hold=1000000")
        let process = try ChildProcess(
            "/bin/sh", ["-c", "trap '' INT; exec \"$0\" -s 1 -o f \"$1\"", Segdl.path, url],
            directory: directory.path)
        try await directory.waitFor("f.part.segdl")
        process.send(SIGINT)
        try await server.release()
        #expect(await process.result().status == 0)
        #expect(try directory.read("f").count == 3_000_000)
    }
}
