import Foundation
import TestContent
import TestSupport
import Testing

/// Systems that lack common features, like containers and installers.
@Suite(
    "On a minimal system",
    .timeLimit(.minutes(5)),
    .enabled(if: BareSystem.isAvailable, "needs root, unshare and setpriv, and mounts of its own"))
struct BareSystemTests {
    /// A shell command line that runs another one.
    private static let withoutProc =
        "exec unshare -m --propagation private sh -c 'umount -l /proc && exec \"$@\"' sh \"$@\""
    private static let withoutHome =
        "exec setpriv --reuid 54321 --regid 54321 --clear-groups env -u HOME \"$@\""
    private static func limited(to processes: Int) -> String {
        // The limit counts all processes of the user, and no other test uses this one.
        let user = UInt32.random(in: 100_000...2_000_000)
        return "exec setpriv --reuid \(user) --regid 54321 --clear-groups "
            + "bash -c 'ulimit -u \(processes) && exec \"$@\"' bash \"$@\""
    }

    private let server: TestServerProcess.Scenario
    private let directory: TemporaryDirectory

    init() async throws {
        server = try await SharedServer.scenario()
        directory = try TemporaryDirectory()
        _ = chmod(directory.path, 0o777)
    }

    private func run(_ script: String, _ arguments: [String]) async throws -> ChildProcess.Result {
        try await ChildProcess(
            "/bin/sh", ["-c", script, "sh", Segdl.path] + arguments, directory: directory.path
        ).result()
    }

    @Test(
        "without a user name, a home, or many threads, files are fetched and mirrored",
        arguments: [withoutHome, limited(to: 40)])
    func works(script: String) async throws {
        let url = server.url("plain", 3_000_000, name: "f.bin")
        let fetched = try await run(script, ["fetch", "-s", "4", url])
        #expect(fetched.status == 0, "\(fetched)")
        try directory.write("{\"url\": \"\(url)\", \"path\": \"a b\"}\n", to: "l.jsonl")
        let mirrored = try await run(script, ["mirror", "l.jsonl", "tree"])
        #expect(mirrored.status == 0, "\(mirrored)")
        for file in ["f.bin", "tree/a b"] {
            #expect(
                try TestContent(seed: 1).firstMismatch(inFile: directory.file(file), length: 3_000_000)
                    == nil)
        }
    }

    @Test("without /proc no argument is lost, and the same command completes the file")
    func noProc() async throws {
        let url = server.url("plain", 3_000_000, name: "f.bin", "conditions=1")
        let empty = try await run(Self.withoutProc, ["fetch", "-o", "", url])
        #expect(empty.errors.contains("--output needs a file name"), "\(empty)")
        let doctor = try await run(Self.withoutProc, ["doctor"])
        #expect(doctor.signal == SIGILL || doctor.output.contains("! Mount /proc"), "\(doctor)")
        // On a busy machine libdispatch aborts the process: it reads /proc/ID/stat while work waits for
        // threads.
        for _ in 1...20 {
            let result = try await run(Self.withoutProc, ["fetch", "-s", "4", url])
            #expect(result.status == 0 || result.signal == SIGILL, "\(result)")
            if result.status == 0 { break }
        }
        #expect(
            try TestContent(seed: 1).firstMismatch(inFile: directory.file("f.bin"), length: 3_000_000) == nil)
    }

    @Test("without enough threads it reports that and exits", arguments: [1, 2, 3, 6, 8])
    func fewThreads(processes: Int) async throws {
        let result = try await run(
            Self.limited(to: processes), ["fetch", server.url("plain", 3_000_000, name: "f.bin")])
        #expect(result.status == 2 && result.errors.contains("ulimit -u"), "\(result)")
        #expect(directory.names == [])
    }
}
