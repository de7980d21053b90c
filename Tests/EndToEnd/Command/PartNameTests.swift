import Foundation
import TestContent
import TestSupport
import Testing

@Suite("Files named like unfinished downloads")
struct PartNameTests {
    private static let size: Int64 = 3_000_000

    private let server: TestServerProcess.Scenario
    private let directory: TemporaryDirectory

    init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
    }

    private func url(_ name: String, _ query: String = "") -> String {
        server.url("plain", Self.size, name: name, query)
    }

    private func run(_ arguments: [String]) async throws -> ChildProcess.Result {
        try await Segdl.run(arguments, in: directory)
    }

    private func isExact(_ file: String) throws -> Bool {
        try TestContent(seed: 1).firstMismatch(inFile: directory.file(file), length: Self.size) == nil
    }

    /// The same file by each entrance that sets a name.
    private func entrances(_ name: String, encoded: String) throws -> [[String]] {
        try directory.write("\(url("f"))\n  out=\(name)\n", to: "named")
        try directory.write("\(url(encoded))\n", to: "plain")
        return [
            ["fetch", "-o", name, url("f")], ["fetch", "-i", "named"],
            ["aria2c", "--no-conf", "-o", name, url("f")],
            ["aria2c", "--no-conf", "-i", "named"], ["fetch", url(encoded)], ["fetch", "-i", "plain"],
            ["aria2c", "--no-conf", url(encoded)],
            ["fetch", url("f", "disposition=attachment;filename=\(encoded)")],
        ]
    }

    @Test("get these names at every entrance", arguments: ["y.part", "y.PART", "y.part.part"])
    func kept(name: String) async throws {
        for arguments in try entrances(name, encoded: name) {
            let result = try await run(arguments)
            #expect(result.status == 0, "\(arguments): \(result)")
            #expect(directory.names.filter { $0.hasPrefix("y") } == [name], "\(arguments)")
            #expect(try isExact(name))
            try directory.remove(name)
        }
    }

    @Test(
        "are refused, or renamed with a message, if they are named like a manifest",
        arguments: ["y.part.segdl", "y.part.move"])
    func states(name: String) async throws {
        for (index, arguments) in try entrances(name, encoded: name).enumerated() {
            let result = try await run(arguments)
            #expect((result.status == 0) == (index >= 4), "\(arguments): \(result)")
            #expect(
                (result.errors + result.output).contains("has the suffix of a state file"),
                "\(arguments): \(result)")
            let names = directory.names.filter { $0.hasPrefix("y") }
            #expect(names == (index < 4 ? [] : [name + "_"]), "\(arguments)")
            try names.forEach(directory.remove)
        }
    }

    @Test("do not touch an unfinished download", arguments: ["fail", "replace", "skip", "update", "rename"])
    func unfinished(policy: String) async throws {
        let process = try Segdl.start(["fetch", "-q", "-s", "1", url("y", "hold-tail=2000")], in: directory)
        try await Segdl.waitUntilKept("y", atLeast: 500_000, in: directory)
        for _ in 1...2 {
            // The first one is still running.
            let result = try await run(["fetch", "--if-exists", policy, url("y.part")])
            if policy == "rename" {
                #expect(result.status == 0 && directory.names.contains("y.1.part"), "\(result)")
            } else {
                #expect(
                    result.status == 5 && result.errors.contains("unfinished download of 'y'"), "\(result)")
            }
            process.send(SIGINT)
            _ = await process.result()
        }
        let shown = try await run(["inspect", "y.part"])
        #expect(shown.status == 0, "\(shown)")
        let sent = try await server.peak().bytesSent
        try await server.release()
        #expect(try await run(["fetch", url("y")]).status == 0)
        #expect(try isExact("y"))
        #expect(try await server.peak().bytesSent - sent < Self.size)
        #expect(!directory.exists("y.part"))
    }

    @Test(
        "are left unchanged if another download would write to a file of that name",
        arguments: [[], ["--restart"], ["--continue"], ["--if-exists", "replace"]])
    func finished(options: [String]) async throws {
        for size in [Self.size, 0] {
            let made = try await run(["fetch", server.url("plain", size, name: "y.part")])
            #expect(made.status == 0)
            let result = try await run(["fetch"] + options + [url("y")])
            #expect(
                result.status == 5 && result.errors.contains("'y.part' is a finished download"), "\(result)")
            #expect(directory.names == ["y.part"])
            #expect(try directory.read("y.part").count == Int(size))
            try directory.remove("y.part")
        }
    }

    @Test("are mirrored")
    func mirrored() async throws {
        try directory.write("{\"url\":\"\(url("y.part"))\",\"path\":\"a/y.part\"}\n", to: "list")
        let result = try await run(["mirror", "--format", "jsonl", "list", "copy"])
        #expect(result.status == 0, "\(result)")
        #expect(try isExact("copy/a/y.part"))
        let again = try await run(["mirror", "--delete", "--format", "jsonl", "list", "copy"])
        #expect(again.status == 0 && directory.exists("copy/a/y.part"), "\(again)")
    }
}
