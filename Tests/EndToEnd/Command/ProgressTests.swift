import TestContent
import TestSupport
import Testing

@Suite("The progress of segdl fetch", .timeLimit(.minutes(5)))
struct ProgressTests {
    private let directory: TemporaryDirectory
    private let server: TestServerProcess.Scenario

    init() async throws {
        directory = try TemporaryDirectory()
        server = try await SharedServer.scenario()
    }

    #if os(Linux)
        @Test("JSON that cannot be written is told once, ends with 5, and stops no download")
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

        @Test("a failure counts more than JSON that cannot be written")
        func failureOnFullDisk() async throws {
            let url = server.url("status", 10, name: "gone", "code=404")
            let shell = try ChildProcess(
                "/bin/sh", ["-c", "\"$0\" fetch --progress json \"$1\" > /dev/full", Segdl.path, url],
                directory: directory.path)
            #expect(await shell.result().status == 3)
        }
    #endif
}
