import TestSupport
import Testing

@Suite("The completion command of segdl fetch")
struct CompletionCommandTests {
    @Test("runs the completion command, and reports its failure")
    func onComplete() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let url = server.url("plain", 1234, name: "a.bin")
        let result = try await Segdl.run(
            ["fetch", "--on-complete", "echo \"$SEGDL_PATH $SEGDL_URL $SEGDL_SIZE\" > told", url],
            in: directory)
        #expect(result.status == 0, "\(result.errors)")
        #expect(try directory.read("told") == Array("./a.bin \(url) 1234\n".utf8))
        let failing = try await Segdl.run(
            ["fetch", "-o", "b.bin", "--on-complete", "exit 3", url], in: directory)
        #expect(failing.status == 7)
        #expect(failing.errors.contains("'b.bin' is complete, but 'exit 3' failed: it exited with 3"))
        #expect(directory.names == ["a.bin", "b.bin", "told"])
    }

    @Test("gives the completion command no proxy that is an option of segdl")
    func onCompleteWithoutProxy() async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let result = try await Segdl.run(
            [
                "fetch", "--https-proxy", "http://me:secret@127.0.0.1:9", "--on-complete", "env > variables",
                server.url("plain", 1234, name: "a.bin"),
            ], in: directory)
        #expect(result.status == 0, "\(result.errors)")
        let variables = try String(decoding: directory.read("variables"), as: UTF8.self)
        #expect(variables.contains("SEGDL_PATH") && !variables.contains("secret"), "\(variables)")
    }

    @Test("runs the completion command again until it succeeds once", arguments: [false, true])
    func onCompleteAgain(isKilled: Bool) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let command =
            isKilled
            ? "echo x >> runs; test -e ready || kill -9 $PPID" : "echo x >> runs; test -e ready || exit 3"
        let line = ["fetch", "--on-complete", command, server.url("plain", 1234, name: "a.bin")]
        for count in 1...2 {
            let failed = try await Segdl.run(line, in: directory)
            #expect(failed.status == (isKilled ? nil : 7), "\(failed)")
            #expect(try directory.read("runs").count == 2 * count)
        }
        try directory.write("", to: "ready")
        for _ in 1...2 {
            let right = try await Segdl.run(line, in: directory)
            #expect(right.status == 0, "\(right)")
            #expect(try directory.read("runs").count == 6)
        }
    }

    #if os(Linux)
        @Test("does not leak connections into a program started by --on-complete")
        func onCompleteInheritsNoConnection() async throws {
            let server = try await SharedServer.scenario()
            let directory = try TemporaryDirectory()
            let result = try await Segdl.run(
                [
                    "fetch", "-s", "4", "--on-complete",
                    "for file in /proc/$$/fd/*; do readlink $file; done > files; cat /proc/net/tcp > connections",
                    server.url("plain", 1_000_000, name: "a.bin"),
                ], in: directory)
            #expect(result.status == 0, "\(result.errors)")
            let inodes = try String(decoding: directory.read("connections"), as: UTF8.self)
                .split(separator: "\n").dropFirst()
                .compactMap { line in line.split(separator: " ").dropFirst(9).first.map { "socket:[\($0)]" } }
            let files = try String(decoding: directory.read("files"), as: UTF8.self).split(separator: "\n")
            #expect(files.contains("/dev/null"))
            #expect(!inodes.isEmpty && Set(files.map(String.init)).isDisjoint(with: inodes))
        }
    #endif
}
