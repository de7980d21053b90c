import TestContent
import TestSupport
import Testing

@Suite("The progress of segdl fetch", .timeLimit(.minutes(10)))
struct ProgressTests {
    private let directory: TemporaryDirectory
    private let server: TestServerProcess.Scenario

    init() async throws {
        directory = try TemporaryDirectory()
        server = try await SharedServer.scenario()
    }

    // MARK: On a terminal

    private static let terminal = [
        "TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "TMUX": "", "STY": "", "TERM_PROGRAM": "",
        "KITTY_WINDOW_ID": "", "WT_SESSION": "", "ConEmuANSI": "", "KONSOLE_VERSION": "",
    ]

    /// Runs the command with a terminal as its output.
    ///
    /// - Parameter options: In shell syntax.
    private func onTerminal(
        _ options: [String], environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        let script = "stty cols 80; exec '\(Segdl.path)' fetch \(options.joined(separator: " "))"
        return try await ChildProcess(
            "/usr/bin/script", ["-qec", script, "/dev/null"], directory: directory.path,
            environment: Self.terminal.merging(environment) { $1 }
        ).result()
    }

    /// Writes a list of this many small files, and one that does not exist on the server.
    private func writeList(_ count: Int) throws {
        let urls = (0..<count).map { server.url("plain", 100, name: "f\($0)") }
        let gone = server.url("status", 10, name: "gone", "code=404")
        try directory.write((urls + [gone]).joined(separator: "\n"), to: "list")
    }

    @Test("shows a line for each file of a list of up to fifty")
    func shortList() async throws {
        try writeList(3)
        let result = try await onTerminal(["-i", "list"])
        #expect(result.status == 1, "\(result)")
        #expect(result.output.count { $0 == "✓" } == 3, "\(result)")
        #expect(result.output.contains("✗ "), "\(result)")
        #expect(result.output.contains("3 of 4 files completed, 1 failed"), "\(result)")
    }

    @Test(
        "shows only failures of a longer list and in a summary; -v shows each file",
        arguments: [(60, [], 0), (3, ["--progress", "summary"], 0), (60, ["-v"], 60)]
            as [(Int, [String], Int)])
    func longList(count: Int, options: [String], lines: Int) async throws {
        try writeList(count)
        let result = try await onTerminal(options + ["-i", "list"])
        #expect(result.status == 1, "\(result)")
        #expect(result.output.count { $0 == "✓" } == lines, "\(result)")
        #expect(result.output.contains("✗ "), "\(result)")
        #expect(
            result.output.contains("\(count) of \(count + 1) files completed, 1 failed"), "\(result)")
        #expect(directory.names.count == count + 1)
    }

    @Test("sets the progress of the terminal's tab if the terminal supports it, never in a pipe")
    func terminalProgress() async throws {
        // Slow, so that it shows progress.
        let url = server.url("plain", 150_000, name: "f", "rate=100000")
        let shown = try await onTerminal(["'\(url)'"], environment: ["WT_SESSION": "1"])
        #expect(shown.status == 0, "\(shown)")
        #expect(shown.output.contains("\u{1B}]9;4;"), "\(shown)")
        #expect(
            shown.output.split(separator: "\u{1B}]9;4;").last?.hasPrefix("0;0\u{1B}\\") == true,
            "\(shown)")
        try directory.remove("f")
        let unknown = try await onTerminal(["'\(url)'"])
        #expect(!unknown.output.contains("]9;4;"), "\(unknown)")
        try directory.remove("f")
        let piped = try await Segdl.run(
            ["fetch", "--progress", "bar", url], in: directory,
            environment: Self.terminal.merging(["WT_SESSION": "1"]) { $1 })
        #expect(piped.status == 0, "\(piped)")
        #expect(!piped.errors.contains("]9;4;"), "\(piped)")
    }

    // MARK: For programs

    @Test(
        "does not write output for a closed standard output into a file",
        arguments: [("--progress json -o f", 5, ["f"]), ("-q -o f", 0, ["f"]), ("-q -o -", 5, [])]
            as [(String, Int32, [String])])
    func closedOutput(options: String, status: Int32, names: [String]) async throws {
        let script = "exec \"$0\" fetch \(options) \"$1\" <&- >&-"
        let result = try await ChildProcess(
            "/bin/sh", ["-c", script, Segdl.path, server.url("plain", 300_000)], directory: directory.path
        ).result()
        #expect(result.status == status, "\(result)")
        #expect(directory.names == names)
        for name in names {
            #expect(
                try TestContent(seed: 1).firstMismatch(inFile: directory.file(name), length: 300_000) == nil)
        }
    }

    @Test("does not write output for a closed standard error into a file")
    func closedErrors() async throws {
        let script = "exec \"$0\" fetch -v --progress plain -o f \"$1\" 2>&-"
        let result = try await ChildProcess(
            "/bin/sh", ["-c", script, Segdl.path, server.url("plain", 300_000)], directory: directory.path
        ).result()
        #expect(result.status == 0, "\(result)")
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("f"), length: 300_000) == nil)
    }

    #if os(Linux)
        @Test("reports once that JSON cannot be written, ends with 5, and stops no download")
        func fullDisk() async throws {
            let urls = (1...3).map { server.url("plain", 300_000, name: "f\($0)") }
            let shell = try ChildProcess(
                "/bin/sh",
                ["-c", "\"$0\" fetch --progress json \"$@\" > /dev/full", Segdl.path] + urls,
                directory: directory.path)
            let result = await shell.result()
            #expect(result.status == 5, "\(result)")
            let lines = result.errors.split(separator: "\n")
            #expect(lines.count == 1, "\(result)")
            #expect(lines.first?.hasPrefix("segdl: Cannot write to standard output: ") == true, "\(result)")
            #expect(directory.names == ["f1", "f2", "f3"])
        }

        @Test("prefers the status of a failure to that of unwritable JSON")
        func failureOnFullDisk() async throws {
            let url = server.url("status", 10, name: "gone", "code=404")
            let shell = try ChildProcess(
                "/bin/sh", ["-c", "\"$0\" fetch --progress json \"$1\" > /dev/full", Segdl.path, url],
                directory: directory.path)
            #expect(await shell.result().status == 3)
        }
    #endif
}
