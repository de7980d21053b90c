import Foundation
import SegmentedDL
import TestSupport
import Testing

/// `segdl queue add` of completed URLs, compared with `segdl fetch` of the same URLs, on a real server.
@Suite("segdl queue add of completed downloads", .timeLimit(.minutes(10)))
struct AddedAgainCommandTests {
    /// The change between the two runs.
    enum Change: CaseIterable {
        case none, server, removed, edited
    }

    private static let first = String(repeating: "a", count: 300)
    private static let second = String(repeating: "b", count: 301)

    private struct Fixture {
        let nginx: Nginx
        let directory: TemporaryDirectory

        init() async throws {
            nginx = try await Nginx()
            directory = try TemporaryDirectory()
        }

        func make(_ change: Change, _ name: String = "f.bin") throws {
            switch change {
            case .none: break
            case .server: try nginx.root.write(AddedAgainCommandTests.second, to: name)
            case .removed: try directory.remove("files/\(name)")
            case .edited: try directory.write("mine", to: "files/\(name)")
            }
        }

        func run(_ arguments: [String]) async throws -> ChildProcess.Result {
            try await Segdl.run(arguments, in: directory)
        }

        func add(_ arguments: [String]) async throws -> ChildProcess.Result {
            try await run(["queue", "add", "--queue", "q.sqlite", "-d", "files"] + arguments)
        }

        func start(_ arguments: String...) async throws -> ChildProcess.Result {
            try await run(["queue", "start", "--queue", "q.sqlite"] + arguments)
        }

        /// The number of downloads that the queue lists as completed.
        func completed() async throws -> Int {
            try await run(["queue", "list", "--queue", "q.sqlite", "--state", "completed"])
                .output.split(separator: "\n").count
        }

        struct NeverAnswered: Error {
            let log: [String]
        }

        /// The status and the body length of each response, once this many are in the log.
        func answers(atLeast count: Int) async throws -> [String] {
            for _ in 0..<3_000 {
                let log = nginx.accessLog
                if log.count >= count {
                    return log.map { line in
                        line.split(separator: "\"", omittingEmptySubsequences: false)[2]
                            .trimmingCharacters(in: .whitespaces)
                    }
                }
                try await Task.sleep(for: .milliseconds(10))
            }
            throw NeverAnswered(log: nginx.accessLog)
        }

        var files: [String: String] {
            let names = (try? TemporaryDirectory.names(of: directory.file("files"))) ?? []
            return names.reduce(into: [:]) { files, name in
                let content = try? directory.read("files/\(name)")
                files[name] = content.map { String(decoding: $0, as: UTF8.self) }
            }
        }
    }

    /// The result of a second run.
    private struct End: Equatable {
        var words: [String]
        var succeeded: Bool
        var answers: [String]
        var files: [String: String]
    }

    /// The result of the second run, as far as it concerns the file: a queue's path is absolute, it has no
    /// options to name, and its time is the total of all runs.
    private func end(
        of result: ChildProcess.Result, _ fixture: Fixture, before: Int
    ) async throws -> End {
        let lines = result.errors.split(separator: "\n").map(String.init)
        let words = lines.filter { $0.hasPrefix("done: ") || $0.hasPrefix("failed: ") }.map { line in
            let line = line.replacingOccurrences(of: fixture.directory.path + "/", with: "")
            let ends = [" (--if-exists", ", 1 connection", " in "].compactMap { line.range(of: $0) }
            let end = ends.map(\.lowerBound).min() ?? line.endIndex
            return line[..<end].trimmingCharacters(in: ["."])
        }
        let answers = try await fixture.answers(atLeast: before + 1).dropFirst(before)
        return End(
            words: words, succeeded: result.status == 0, answers: Array(answers), files: fixture.files)
    }

    private func fetched(_ change: Change, _ policy: String) async throws -> End {
        let fixture = try await Fixture()
        try fixture.nginx.root.write(Self.first, to: "f.bin")
        let command = [
            "fetch", "-d", "files", "--if-exists", policy, "--progress", "plain", fixture.nginx.url("f.bin"),
        ]
        #expect(try await fixture.run(command).status == 0)
        let before = try await fixture.answers(atLeast: 1).count
        try fixture.make(change)
        return try await end(of: fixture.run(command), fixture, before: before)
    }

    private func queued(_ change: Change, _ policy: String) async throws -> End {
        let fixture = try await Fixture()
        try fixture.nginx.root.write(Self.first, to: "f.bin")
        let arguments = ["--if-exists", policy, fixture.nginx.url("f.bin")]
        #expect(try await fixture.add(arguments).status == 0)
        #expect(try await fixture.start("--progress", "plain").status == 0)
        let before = try await fixture.answers(atLeast: 1).count
        try fixture.make(change)
        let again = try await fixture.add(arguments)
        #expect(again.status == 0 && again.output.hasPrefix("1\t"), "\(again)")
        #expect(again.errors.contains("number 1 was completed before; it is checked"), "\(again)")
        return try await end(of: fixture.start("--progress", "plain"), fixture, before: before)
    }

    @Test(
        "behaves like rerunning segdl fetch", arguments: Change.allCases,
        ExistingFilePolicy.allCases.map(\.rawValue))
    func asFetch(change: Change, policy: String) async throws {
        let (fetched, queued) = (try await fetched(change, policy), try await queued(change, policy))
        #expect(queued == fetched)
        #expect(queued.words.count == 1)
        if change == .none {
            #expect(queued.answers == ["304 0"] && queued.words[0].contains("exists, unchanged"))
        }
        if change == .server || change == .edited, policy == "fail" {
            #expect(!queued.succeeded && queued.files == ["f.bin": change == .edited ? "mine" : Self.first])
        }
    }

    @Test("of a list of several hundred revalidates each once, and fetches the one that has changed")
    func list() async throws {
        let fixture = try await Fixture()
        let names = (1...400).map { "f\($0).bin" }
        for name in names { try fixture.nginx.root.write(Self.first, to: name) }
        try fixture.directory.write(names.map { fixture.nginx.url($0) + "\n" }.joined(), to: "list")
        let arguments = ["--if-exists", "replace", "-i", "list"]
        #expect(try await fixture.add(arguments).status == 0)
        #expect(try await fixture.start("--progress", "none").status == 0)
        let before = try await fixture.answers(atLeast: 400).count
        #expect(before == 400)
        try fixture.make(.server, "f200.bin")
        let again = try await fixture.add(arguments)
        #expect(again.status == 0 && again.output.split(separator: "\n").count == 400)
        #expect(
            again.errors
                == "segdl: 400 downloads were completed before; they are checked as by segdl fetch: an existing, unchanged file is not fetched again.\n"
        )
        #expect(try await fixture.start("--progress", "none").status == 0)
        let answers = try await fixture.answers(atLeast: 800).dropFirst(before)
        #expect(answers.count { $0 == "304 0" } == 399)
        #expect(answers.count == 400 && answers.contains { $0.hasSuffix(" 301") })
        let files = fixture.files
        #expect(files.count == 400 && files["f200.bin"] == Self.second && files["f7.bin"] == Self.first)
        #expect(try await fixture.completed() == 400)
    }

    @Test("in a running queue revalidates at once")
    func running() async throws {
        let fixture = try await Fixture()
        try fixture.nginx.root.write(Self.first, to: "f.bin")
        let url = fixture.nginx.url("f.bin")
        #expect(try await fixture.add([url]).status == 0)
        let process = try Segdl.start(
            ["queue", "start", "--queue", "q.sqlite", "--keep-running", "--progress", "none"],
            in: fixture.directory)
        _ = try await fixture.answers(atLeast: 1)
        while try await fixture.completed() == 0 { try await Task.sleep(for: .milliseconds(10)) }
        let again = try await fixture.add([url])
        #expect(again.status == 0 && again.errors.contains("completed before"), "\(again)")
        #expect(try await fixture.answers(atLeast: 2).last == "304 0")
        process.send(SIGTERM)
        #expect(await process.result().status == 143)
        #expect(fixture.files == ["f.bin": Self.first])
    }

    @Test("with other options is refused, and remains completed")
    func otherOptions() async throws {
        let fixture = try await Fixture()
        try fixture.nginx.root.write(Self.first, to: "f.bin")
        let url = fixture.nginx.url("f.bin")
        #expect(try await fixture.add([url]).status == 0)
        #expect(try await fixture.start("--progress", "none").status == 0)
        let digest = "md5=" + String(repeating: "0", count: 32)
        for options in [["--if-exists", "replace"], ["-o", "other"], ["--checksum", digest]] {
            let refused = try await fixture.add(options + [url])
            #expect(refused.status == 64 && refused.errors.contains("already in the queue"), "\(refused)")
        }
        #expect(try await fixture.completed() == 1)
    }

    @Test("moves to the front with --front, and waits with --paused")
    func front() async throws {
        let fixture = try await Fixture()
        for name in ["a", "b"] { try fixture.nginx.root.write(Self.first, to: name) }
        let urls = ["a", "b"].map { fixture.nginx.url($0) }
        #expect(try await fixture.add(urls).status == 0)
        #expect(try await fixture.start("--progress", "none").status == 0)
        #expect(try await fixture.add(["--front", "--paused", urls[1]]).status == 0)
        let listed = try await fixture.run(["queue", "list", "--queue", "q.sqlite"]).output
        let lines = listed.split(separator: "\n")
        #expect(lines.count == 2 && lines[0].contains("paused") && lines[0].contains("/b"), "\(listed)")
    }
}
