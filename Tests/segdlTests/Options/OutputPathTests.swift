import ArgumentParser
import Testing

@testable import segdl

@Suite("The paths of options that write results")
struct OutputPathTests {
    @Test("have - for standard output")
    func opened() {
        #expect(OutputPath.opened("-") == "/dev/stdout")
        for path in ["./-", "-x", "a", ""] { #expect(OutputPath.opened(path) == path) }
    }

    @Test(
        "name standard output at most once",
        arguments: [
            ("--trace - -o -", "--output"), ("--failed - -o /dev/stdout", "--output"),
            ("--trace - --failed -", "--trace"), ("--trace /dev/stdout --failed -", "--trace"),
            ("--failed - --progress json", "--progress json"),
        ])
    func taken(line: String, user: String) throws {
        let error = try #require(throws: (any Error).self) {
            try Fetch.parse(line.split(separator: " ").map(String.init) + ["http://h/f"])
        }
        let message = Fetch.message(for: error)
        #expect(message.contains("\(user) already uses standard output; give --"), "\(message)")
    }

    @Test(
        "may name standard output, and files of other names",
        arguments: [
            "--trace -", "--failed -", "--trace - --failed f", "--trace ./- --failed -", "--trace f -o -",
        ])
    func free(line: String) throws {
        _ = try Fetch.parse(line.split(separator: " ").map(String.init) + ["http://h/f"])
    }

    @Test("are those of files in commands that write a report")
    func reports() throws {
        #expect(throws: (any Error).self) { try MirrorReportCommand.parse(["--sums", "-", "copy"]) }
        #expect(throws: (any Error).self) { try Benchmark.parse(["--report", "-", "http://h/f"]) }
        let mirror = ["--failed", "-", "http://h/", "copy"]
        for option in [["--dry-run"], ["--progress", "json"]] {
            #expect(throws: (any Error).self) { try MirrorStart.parse(option + mirror) }
        }
        _ = try MirrorStart.parse(mirror)
    }
}
