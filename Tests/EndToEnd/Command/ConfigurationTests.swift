import TestContent
import TestSupport
import Testing

@Suite("The configuration file and SEGDL_OPTIONS")
struct ConfigurationTests {
    /// The header fields of the only request.
    private func sent(
        _ arguments: [String], _ environment: [String: String], file: String = ""
    ) async throws -> [String: String] {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("segdl")
        try directory.write(file, to: "segdl/config")
        try directory.write("user-agent = other/1\n", to: "other")
        let result = try await Segdl.run(
            arguments + ["-q", "-o", "f", server.url("plain", 100)], in: directory,
            environment: ["XDG_CONFIG_HOME": directory.path].merging(environment) { $1 })
        #expect(result.status == 0, "\(result)")
        return try #require(try await server.requests().first?.headers)
    }

    @Test("supply options; the command line overrides the variable, which overrides the file")
    func order() async throws {
        let file = "# mine\nuser-agent = file/1\nheader = X-File: 1\n"
        let variable = ["SEGDL_OPTIONS": "--user-agent variable/1 -H 'X-Variable: 1'"]
        let all = try await sent(["--user-agent", "typed/1", "-H", "X-Typed: 1"], variable, file: file)
        #expect(all["user-agent"] == "typed/1")
        #expect(all["x-file"] == "1" && all["x-variable"] == "1" && all["x-typed"] == "1")
        #expect(try await sent([], variable, file: file)["user-agent"] == "variable/1")
        #expect(try await sent([], [:], file: file)["user-agent"] == "file/1")
    }

    @Test("--conf selects another file, and --no-conf none")
    func choice() async throws {
        let file = "user-agent = file/1"
        #expect(try await sent(["fetch", "--conf", "other"], [:], file: file)["user-agent"] == "other/1")
        let none = try await sent(["--no-conf"], ["SEGDL_OPTIONS": "--referer http://r/"], file: file)
        #expect(none["user-agent"]?.hasPrefix("segdl/") ?? false)
        #expect(none["referer"] == nil)
    }

    @Test(
        "that cannot be used end the command before it does anything",
        arguments: [
            ("retries", "config:1: --retries needs a value"), ("\nxyz = 1", "config:2: --xyz is not"),
        ])
    func wrong(file: String, says: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write(file, to: "config")
        let result = try await Segdl.run(["--conf", "config", "http://127.0.0.1:1/x"], in: directory)
        #expect(result.status == 64 && result.errors.contains(says), "\(result)")
        let missing = try await Segdl.run(["--conf", "missing", "http://127.0.0.1:1/x"], in: directory)
        #expect(missing.status == 64 && missing.errors.contains("'missing'"), "\(missing)")
        #expect(directory.names == ["config"])
    }

    @Test(
        "with unusable values are reported with their location, even among others",
        arguments: [
            ("retries = 2\nlimit-rate = abc", "config:2: The value 'abc' is invalid for '--limit-rate"),
            ("\nsegments = 5000", "config:2: 5000 segments are too many"),
            ("encoded = true\ncompressed = true", "config:1: --compressed decodes"),
        ])
    func wrongValue(file: String, says: String) async throws {
        let directory = try TemporaryDirectory()
        try directory.write(file, to: "config")
        let result = try await Segdl.run(["--conf", "config", "http://127.0.0.1:1/x"], in: directory)
        #expect(result.status == 64 && result.errors.contains(says), "\(result)")
        #expect(result.errors.contains("--no-conf"), "\(result)")
        // An error on the command line is reported as such.
        let typed = try await Segdl.run(
            ["--conf", "config", "-s", "many", "http://127.0.0.1:1/x"], in: directory)
        #expect(typed.status == 64 && !typed.errors.contains("config:"), "\(typed)")
        let variable = try await Segdl.run(
            ["http://127.0.0.1:1/x"], in: directory, environment: ["SEGDL_OPTIONS": "--limit-rate abc"])
        #expect(variable.status == 64 && variable.errors.contains("SEGDL_OPTIONS: The value"), "\(variable)")
    }

    @Test(
        "yield to the opposite options of the command line, which itself may not have both",
        arguments: [true, false])
    func opposites(isFile: Bool) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("quiet\nsplit = 2\n", to: "config")
        let choice = isFile ? ["--conf", "config"] : []
        let environment = isFile ? [:] : ["SEGDL_OPTIONS": "-q --split 2"]
        let url = server.url("plain", 100, name: "f")
        let result = try await Segdl.run(choice + ["-v", url], in: directory, environment: environment)
        #expect(result.status == 0 && result.errors.contains("done: f"), "\(result)")
        try directory.write("verbose\n", to: "config")
        let words = ["SEGDL_OPTIONS": "-v"]
        let heads = try await Segdl.run(
            choice + ["-v", url], in: directory, environment: isFile ? [:] : words)
        #expect(heads.status == 0 && !heads.errors.contains("HTTP/1.1 "), "\(heads)")
        try directory.write("quiet\n", to: "config")
        let events = try await Segdl.run(
            choice + ["--progress", "json", url], in: directory, environment: environment)
        #expect(events.status == 0 && events.output.contains(#""event":"summary""#), "\(events)")
        let lines = try await Segdl.run(
            choice + ["--progress", "plain", url], in: directory, environment: environment)
        #expect(lines.errors.contains("done: f"), "\(lines)")
        let both = try await Segdl.run(choice + ["-q", "-v", url], in: directory, environment: environment)
        #expect(both.status == 64 && both.errors.contains("cannot be combined"), "\(both)")
    }

    @Test(
        "do not replace a file that the command line or the variable asks to keep",
        arguments: [true, false])
    func takenBack(isTyped: Bool) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("allow-overwrite = true", to: "config")
        try directory.write("precious", to: "f")
        let result = try await Segdl.run(
            ["--conf", "config"] + (isTyped ? ["--allow-overwrite=false"] : [])
                + [server.url("plain", 100, name: "f")],
            in: directory, environment: isTyped ? [:] : ["SEGDL_OPTIONS": "--allow-overwrite=false"])
        #expect(result.status == 5 && result.errors.contains("exists"), "\(result)")
        #expect(try directory.read("f") == Array("precious".utf8))
    }

    @Test("may set the directory by aria2's name, which segdl verify does not use")
    func directoryOfAria2() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        try directory.write("dir = out", to: "config")
        let result = try await Segdl.run(
            ["-q", "--conf", "config", server.url("plain", 100, name: "f")], in: directory)
        #expect(result.status == 0 && directory.names == ["config", "out"], "\(result)")
        #expect(try directory.read("out/f") == TestContent(seed: 1).bytes(0..<100))
        try await directory.write(Segdl.run(["verify", "config"], in: directory).output, to: "SHA256SUMS")
        let verified = try await Segdl.run(["verify", "--conf", "config", "SHA256SUMS"], in: directory)
        #expect(verified.status == 0, "\(verified)")
    }

    @Test("do not decide which files are checked", arguments: [true, false])
    func verified(isFile: Bool) async throws {
        let directory = try TemporaryDirectory()
        try directory.makeDirectory("downloads")
        try directory.write("good", to: "f")
        try await directory.write(Segdl.run(["verify", "f"], in: directory).output, to: "SHA256SUMS")
        try directory.rename("f", to: "downloads/f")
        try directory.write("bad", to: "f")
        try directory.write(
            "directory = downloads\nchecksum = md5=\(String(repeating: "0", count: 32))", to: "config")
        let result = try await Segdl.run(
            ["verify"] + (isFile ? ["--conf", "config"] : []) + ["SHA256SUMS"], in: directory,
            environment: isFile ? [:] : ["SEGDL_OPTIONS": "-d downloads"])
        #expect(result.status == 4 && result.errors.contains("failed: f: it has"), "\(result)")
    }

    @Test("do not affect subcommands without the option")
    func subcommands() async throws {
        let directory = try TemporaryDirectory()
        try directory.write("segments = 8", to: "config")
        try directory.write("x", to: "f")
        let result = try await Segdl.run(["verify", "--conf", "config", "f"], in: directory)
        #expect(result.status == 0, "\(result)")
    }
}
