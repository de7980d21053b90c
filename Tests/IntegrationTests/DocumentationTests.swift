import Foundation
import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@Suite("The documentation's example")
struct DocumentationTests {
    @Test("compiles, runs, and stands word for word in the DocC page")
    func example() async throws {
        let bench = try await Bench()
        let url = bench.server.url("plain", 500_000, name: "disk.iso")
        let directory = bench.directory.filePath("")
        try await Self.run(url, directory)
        try bench.expectExact(500_000, name: "disk.iso")

        let here = URL(fileURLWithPath: #filePath)
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/SegmentedDL/SegmentedDL.docc/SegmentedDL.md")
        let shown = try #require(
            Self.block("```swift\n", "```", in: String(contentsOf: page, encoding: .utf8)))
        let compiled = try #require(
            Self.block(
                "// example begins\n", "// example ends", in: String(contentsOf: here, encoding: .utf8)))
        let unindented = compiled.split(separator: "\n").map { $0.dropFirst(8) }.joined(separator: "\n")
        #expect(
            unindented.trimmingCharacters(in: .whitespacesAndNewlines)
                == shown.trimmingCharacters(in: .newlines))
    }

    private static func run(_ url: String, _ directory: FilePath) async throws {
        // example begins
        let downloader = try Downloader()
        var request = try DownloadRequest(url, to: .directory(directory))
        request.segments = .fixed(4)
        let handle = downloader.start(request)
        for await progress in handle.progress() {
            print("\(progress.bytesCompleted) of \(progress.bytesTotal ?? 0) bytes")
        }
        let result = try await handle.result
        print("\(result.path?.string ?? "") has \(result.length) bytes")
        await downloader.shutdown()
        // example ends
    }

    /// What stands between two marks, the first of each.
    private static func block(_ start: String, _ end: String, in text: String) -> String? {
        guard let start = text.range(of: start),
            let end = text.range(of: end, range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
