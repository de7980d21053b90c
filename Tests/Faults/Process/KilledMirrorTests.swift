import Foundation
import SegmentedDL
import TestSupport
import Testing

@testable import SegmentedDLMirror

/// SIGKILL while a mirror fetches small files, which it stores in batches.
@Suite(
    "A killed mirror", .timeLimit(.minutes(10)),
    .enabled(if: Shim.isAvailable, Comment(rawValue: Shim.reason)))
struct KilledMirrorTests {
    private static let files = 300

    @Test("is exact and proved in the end, and fetches no file and no listing again that it has stored")
    func repeatedly() async throws {
        var fixture = try await Fixture(activeFiles: 2)
        var named: Set<String> = []
        // Each file needs one of each before it has its name, so that 15 runs cannot name all files.
        let calls = [["linkat", "renameat2", "link"], ["pwrite"], ["fdatasync"]]
        for run in 0..<15 {
            let fault = Shim.Fault(kind: .killBefore, call: .random(in: 1...20), only: calls[run % 3])
            let what = "run \(run), killed before call \(fault.call) of \(fault.only)"
            let end = try await fixture.start(fault).result()
            #expect(end.signal == SIGKILL, "\(what): \(end)")
            let responses = try await fixture.takeResponses()
            let again = responses.files.intersection(named)
            #expect(again == [], "\(what)")
            // The entries of a listing are stored together with the note that it was read.
            let stored = Set(named.map { String($0.prefix { $0 != "/" }) + "/" })
            #expect(responses.listings.isDisjoint(with: stored), "\(what): \(responses.listings)")
            let before = named
            named = try fixture.named(what)
            #expect(named.isSuperset(of: before), "\(what)")
            expectFewUnnamed(responses, named, fixture)
        }
        try await fixture.expectRest(behind: named)
    }

    @Test("whose disk is slow has requested few files without a name: as many as a run may begin at a time")
    func slowDisk() async throws {
        let slow = Shim.Fault(kind: .slow(20), call: 1, only: ["fdatasync"], isLasting: true)
        // The mirror may end before its kill, if the machine delays the test for longer than the disk needs.
        var wasKilled = false
        for _ in 1...4 where !wasKilled {
            var fixture = try await Fixture(activeFiles: 1)
            let process = try await fixture.start(slow)
            while process.isRunning, fixture.responses.files.count < 200 {
                try await Task.sleep(for: .milliseconds(5))
            }
            process.send(SIGKILL)
            wasKilled = await process.result().signal == SIGKILL
            let responses = try await fixture.takeResponses()
            let named = try fixture.named("on a slow disk")
            expectFewUnnamed(responses, named, fixture)
            try await fixture.expectRest(behind: named)
        }
        #expect(wasKilled)
    }

    /// Expects that not more files are lost than the run could have begun: each step is at most a batch, which
    /// ends when all of its files have their names.
    private func expectFewUnnamed(_ responses: Responses, _ named: Set<String>, _ fixture: Fixture) {
        var limits = Limits()
        limits.activeFiles = .fixed(fixture.activeFiles)
        let lost = responses.files.subtracting(named).count
        #expect(lost <= limits.begunFiles * MirrorSession.filesAtOnce, "\(lost)")
    }

    /// The paths below the source for which the server has sent content.
    private struct Responses {
        var files: Set<String> = []
        var listings: Set<String> = []

        /// - Parameter lines: Such as `… "GET /tree/d1/f1.bin HTTP/1.1" 206 …`.
        init(_ lines: some Sequence<String>) {
            for line in lines {
                guard let match = line.firstMatch(of: #/"GET /tree/(\S*) HTTP/1.1" 20[06] /#) else {
                    continue
                }
                let path = String(match.1)
                if path.isEmpty || path.hasSuffix("/") { listings.insert(path) } else { files.insert(path) }
            }
        }
    }

    /// nginx with listings of ten directories, and the command, which mirrors them to `copy`.
    private struct Fixture {
        let activeFiles: Int
        private let nginx: Nginx
        private let directory: TemporaryDirectory
        private var knownLines = 0
        private var copy: String { directory.file("copy") }

        init(activeFiles: Int) async throws {
            self.activeFiles = activeFiles
            nginx = try await Nginx(server: "autoindex on;")
            directory = try TemporaryDirectory()
            try nginx.root.write("mark", to: "mark")
            for number in 0..<KilledMirrorTests.files {
                let place = "tree/d\(number % 10)"
                try nginx.root.makeDirectory(place)
                try nginx.root.write(
                    String(repeating: "\(number) ", count: 500 + number), to: "\(place)/f\(number).bin")
            }
        }

        func start(_ fault: Shim.Fault? = nil) async throws -> ChildProcess {
            let arguments = [
                "mirror", "-j", "\(activeFiles)", "--progress", "none", nginx.url("tree/"), copy,
            ]
            return try Segdl.start(
                arguments, in: directory,
                environment: try await Shim.environment(watching: copy, log: "/dev/null", fault))
        }

        /// All responses so far; the log may lack those that have just arrived.
        var responses: Responses { Responses(nginx.accessLog) }

        /// Returns the responses since the last call, once no mirror is running.
        mutating func takeResponses() async throws -> Responses {
            // nginx is one process, and logs the responses that it has sent before it serves another request.
            _ = try await HTTPGet.body(nginx.url("mark"))
            let lines = nginx.accessLog
            defer { knownLines = lines.count }
            return Responses(lines.dropFirst(knownLines))
        }

        /// Returns the files that have their final names, each of which must be complete.
        func named(_ what: String) throws -> Set<String> {
            let files = try MirroredTree.files(copy).filter { $0.key.hasSuffix(".bin") }
            for (path, content) in files {
                #expect(try content == Data(nginx.root.read("tree/" + path)), "\(what): \(path)")
            }
            return Set(files.keys)
        }

        /// Expects that an undisturbed run completes the mirror, and fetches no file that has its name.
        mutating func expectRest(behind named: Set<String>) async throws {
            let end = try await start().result()
            #expect(end.status == 0, "\(end)")
            let again = try await takeResponses().files.intersection(named)
            #expect(again == [])
            let files = KilledMirrorTests.files
            #expect(try self.named("the last run").count == files)
            #expect(try MirroredTree.files(copy).count == files)
            let check = try await Segdl.run(["verify", copy + "/SHA256SUMS"])
            #expect(check.status == 0 && check.errors.contains("\(files) of \(files)"), "\(check)")
        }
    }
}
