import Foundation
import SegmentedDL
import SegmentedDLMirror
import SystemPackage
import TestSupport
import Testing

/// The real command on a queue in its own directory.
struct QueueCommandFixture: Sendable {
    let server: TestServerProcess.Scenario
    let directory: TemporaryDirectory

    init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
    }

    private func arguments(_ arguments: [String]) -> [String] {
        ["queue", arguments[0], "--queue", "queue.sqlite"] + arguments.dropFirst()
    }

    var queue: FilePath { FilePath(directory.file("queue.sqlite")) }

    func start(_ arguments: String...) throws -> ChildProcess { try start(arguments) }

    func start(_ arguments: [String]) throws -> ChildProcess {
        try Segdl.start(self.arguments(arguments), in: directory)
    }

    func run(_ arguments: [String], input: String? = nil) async throws -> ChildProcess.Result {
        try await Segdl.run(self.arguments(arguments), in: directory, input: input)
    }

    func run(_ arguments: String...) async throws -> ChildProcess.Result {
        try await run(arguments)
    }

    /// Runs a command that must succeed.
    @discardableResult
    func must(_ arguments: [String], input: String? = nil, location: SourceLocation = #_sourceLocation)
        async throws -> String
    {
        let result = try await run(arguments, input: input)
        #expect(result.status == 0, "\(result.errors)", sourceLocation: location)
        return result.output
    }

    @discardableResult
    func must(_ arguments: String..., location: SourceLocation = #_sourceLocation) async throws -> String {
        try await must(arguments, location: location)
    }

    /// Adds files that take a moment each.
    func add(_ count: Int, size: Int64, query: String, options: [String] = []) async throws {
        let urls = (1...count).map { server.url("plain", size, name: "f\($0).bin", query) }
        try await must(
            ["add", "-s", "1", "-d", "files", "-i", "-"] + options, input: urls.joined(separator: "\n"))
    }

    /// Adds files whose first responses stall in the middle: they are active however late a test checks.
    /// Later requests are answered in full.
    func addHeld(_ count: Int, size: Int64, at position: Int64) async throws {
        for number in 1...count {
            let server = try await SharedServer.scenario()
            let url = server.url("plain", size, name: "f\(number).bin", "hold=\(position)")
            try await must("add", "-s", "1", "-d", "files", url)
        }
    }

    /// The part of a line of `list --json` that tests use.
    struct Line: Decodable, Sendable {
        var id: Int64
        var position: Int
        var state: DownloadState
        var bytesCompleted: Int64
        var bytesTotal: Int64?
        var attempts: Int
        var source: String
        var path: String?
    }

    func list() async throws -> [Line] {
        let text = try await must("list", "--json")
        return try text.split(separator: "\n").map {
            try JSONDecoder().decode(Line.self, from: Data($0.utf8))
        }
    }

    struct NeverCame: Error {
        let lines: [Line]
    }

    /// Waits until the list has the expected state.
    @discardableResult
    func wait(until isMet: ([Line]) -> Bool) async throws -> [Line] {
        var lines: [Line] = []
        for _ in 0..<400 {
            lines = try await list()
            if isMet(lines) { return lines }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw NeverCame(lines: lines)
    }

    /// The number of the process's open connections to the queue's socket, and the socket itself.
    var connections: Int {
        let table = (try? String(contentsOfFile: "/proc/net/unix", encoding: .utf8)) ?? ""
        return table.split(separator: "\n").count { $0.hasSuffix(" \(directory.file("queue.sqlite.sock"))") }
    }

    /// Waits until a condition is met.
    func wait(until isMet: () -> Bool) async throws {
        for _ in 0..<3000 {
            if isMet() { return }
            try await Task.sleep(for: .milliseconds(10))
        }
        throw NeverCame(lines: [])
    }

    var fileNames: [String] {
        ((try? TemporaryDirectory.names(of: directory.file("files"))) ?? []).sorted()
    }
}
