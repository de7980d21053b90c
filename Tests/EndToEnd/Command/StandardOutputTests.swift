import Foundation
import TestContent
import TestSupport
import Testing

@Suite("segdl fetch to standard output and to pipes")
struct StandardOutputTests {
    private let size: Int64 = 12_000_000

    /// Runs a shell script in a directory: `$0` is the command, `$1` the URL.
    private func shell(
        _ script: String, _ url: String, in directory: TemporaryDirectory,
        environment: [String: String] = [:]
    ) async throws -> ChildProcess.Result {
        try await ChildProcess(
            "/bin/bash", ["-c", script, Segdl.path, url], directory: directory.path,
            environment: environment
        ).result()
    }

    private func expectExact(_ name: String, in directory: TemporaryDirectory) throws {
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file(name), length: size) == nil)
    }

    @Test(
        "uses several connections, and leaves no files",
        arguments: [
            "\"$0\" -q -s 4 -o - \"$1\" > out", "\"$0\" -q -s 4 -o /dev/fd/1 \"$1\" > out",
            "\"$0\" -q -s 4 -o /proc/self/fd/1 \"$1\" | cat > out",
            "\"$0\" -q -s 4 -o /dev/fd/7 \"$1\" 7> out", "\"$0\" -q -s 4 -o /dev/stderr \"$1\" 2>> out",
            "\"$0\" -q -s 4 -o /dev/stdout \"$1\" | cat > out",
            "mkfifo p && { cat p > out & } && \"$0\" -q -s 4 -o p \"$1\" && wait && rm p",
        ])
    func segments(script: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let temporary = try TemporaryDirectory()
        let url = server.url("plain", size, "rate=3000000")
        let result = try await shell(script, url, in: directory, environment: ["TMPDIR": temporary.path])
        #expect(result.status == 0, "\(result)")
        #expect(directory.names == ["out"] && temporary.names.isEmpty)
        try expectExact("out", in: directory)
        #expect(try await server.peak().peakConcurrent == 4)
    }

    @Test("a wrong digest is an error after the bytes have been written")
    func wrongDigest() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let zeros = String(repeating: "0", count: 64)
        let result = try await shell(
            "\"$0\" -s 4 --checksum sha256=\(zeros) -o - \"$1\" > out", server.url("plain", size),
            in: directory)
        #expect(result.status == 4 && result.errors.contains("do not trust"), "\(result)")
        try expectExact("out", in: directory)
    }

    @Test(
        "may be that of a trace or of the list of missing files, and - names no file",
        arguments: [("--trace", "sample"), ("--failed", "http://")])
    func results(option: String, text: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = option == "--failed" ? server.url("status", 9, "code=404") : server.url("plain", 9)
        let result = try await Segdl.run(["-q", "-o", "f", option, "-", url], in: directory)
        #expect(result.output.contains(text), "\(result)")
        #expect(directory.names == (option == "--failed" ? [] : ["f"]))
    }

    @Test("ends the download when the reader exits")
    func readerEnds() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await shell(
            "\"$0\" -s 4 -o - \"$1\" | head -c 100000 > out; exit ${PIPESTATUS[0]}",
            server.url("plain", 200_000_000, "rate=20000000"), in: directory)
        #expect(result.status == 5, "\(result)")
        #expect(result.errors.contains("the program that reads it has ended"), "\(result.errors)")
        #expect(try directory.read("out") == TestContent(seed: 1).bytes(0..<100_000))
        #expect(try await server.peak().bytesSent < 200_000_000)
    }

    @Test("names a named pipe whose reader exits", arguments: ["-s 4", "-s 1"])
    func pipeReaderEnds(options: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await shell(
            "mkfifo p && { head -c 10 p > /dev/null & } && \"$0\" \(options) -o p \"$1\"",
            server.url("plain", size), in: directory)
        #expect(result.status == 5 && result.errors.contains("/p': broken pipe;"), "\(result)")
        #expect(!result.errors.contains("standard output"), "\(result)")
    }

    @Test("a full device ends it, without advice to resume")
    func full() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        for options in ["-s 4", "-s 1"] {
            let result = try await shell(
                "\"$0\" \(options) -o - \"$1\" > /dev/full", server.url("plain", size), in: directory)
            #expect(result.status == 5 && result.errors.contains("make room and run it again."), "\(result)")
        }
    }

    @Test("without space for a window it uses one connection, and says so")
    func noRoom() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await shell(
            "\"$0\" -s 4 -o - \"$1\" > out", server.url("plain", size), in: directory,
            environment: ["TMPDIR": directory.file("missing")])
        #expect(result.status == 0 && result.errors.contains("only one connection"), "\(result)")
        #expect(result.errors.contains("set TMPDIR to another directory"), "\(result)")
        try expectExact("out", in: directory)
        #expect(try await server.peak().requests == 1)
    }

    @Test("a file that fits into the window costs at most one request per mebibyte")
    func requests() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let length: Int64 = 3_000_000
        let result = try await shell(
            "\"$0\" -q -o - \"$1\" > out", server.url("plain", length), in: directory)
        #expect(result.status == 0, "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("out"), length: length) == nil)
        // It would be eighteen with the piece size of a longer file.
        #expect(try await server.peak().requests <= 6)
    }

    @Test("the first response suffices if further requests are refused", arguments: ["-s 4", "-s auto"])
    func furtherRefused(options: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("status", size, "code=403&later=1&times=1000")
        let result = try await shell("\"$0\" -q \(options) -o - \"$1\" > out", url, in: directory)
        #expect(result.status == 0, "\(result)")
        try expectExact("out", in: directory)
    }

    @Test("writes to standard output in order")
    func standardOutput() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 5_000_000
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "\"$0\" fetch -q -o - \"$1\" > out", Segdl.path, server.url("plain", size)],
            directory: directory.path)
        #expect(await shell.result().status == 0)
        #expect(directory.names == ["out"])
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("out"), length: size) == nil)
    }

    @Test("does not write bytes beyond the end of the file to standard output")
    func standardOutputOfLongBody() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 10_000
        let url = server.url("contradicting-length", size, "chunked=1&by=3000")
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "\"$0\" fetch -q -o - \"$1\" > out", Segdl.path, url],
            directory: directory.path)
        #expect(await shell.result().status == 0)
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("out"), length: size) == nil)
    }

    @Test("continues standard output where a lost connection left off")
    func standardOutputResumes() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("reset", 1_000_000, "at=300000&times=2")
        let shell = try ChildProcess(
            "/bin/sh", ["-c", "\"$0\" fetch -q --retry-delay 0.05 -o - \"$1\" > out", Segdl.path, url],
            directory: directory.path)
        #expect(await shell.result().status == 0)
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("out"), length: 1_000_000) == nil)
    }

    @Test(
        "writes the right bytes from a server that answers any range with the first bytes",
        arguments: [("4", ""), ("1", "at=1000000")])
    func standardOutputWithoutRanges(segments: String, query: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 5_000_000
        let command = "\"$0\" fetch -q -s \(segments) --retry-delay 0.05 -o - \"$1\" > out"
        let shell = try ChildProcess(
            "/bin/sh", ["-c", command, Segdl.path, server.url("no-seek", size, query)],
            directory: directory.path)
        #expect(await shell.result().status == 0)
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("out"), length: size) == nil)
    }
}
