import TestContent
import TestSupport
import Testing

@Suite("With a low limit on the stack (ulimit -s)")
struct StackLimitTests {
    @Test(
        "a file is fetched, whether the limit can be raised or not",
        arguments: ["ulimit -S -s 64", "ulimit -s 64", "ulimit -s 512"])
    func fetch(limit: String) async throws {
        let server = try await SharedServer.scenario()
        let directory = try TemporaryDirectory()
        let size: Int64 = 3_000_000
        let result = try await ChildProcess(
            "/bin/bash",
            [
                "-c", "\(limit) && exec \"$0\" \"$@\"", Segdl.path, "fetch", "-s", "4",
                server.url("plain", size, name: "f.bin"),
            ], directory: directory.path
        ).result()
        #expect(result.status == 0, "\(result)")
        #expect(try TestContent(seed: 1).firstMismatch(inFile: directory.file("f.bin"), length: size) == nil)
        let usage = try await ChildProcess(
            "/bin/bash", ["-c", "\(limit) && exec \"$0\" fetch --no-such-option", Segdl.path],
            directory: directory.path
        ).result()
        #expect(usage.status == 64, "\(usage)")
    }
}
