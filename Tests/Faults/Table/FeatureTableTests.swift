import Foundation
import SegmentedDL
import SystemPackage
import Testing

@Suite("The table of features of file systems")
struct FeatureTableTests {
    private static let page = TestList.root.appendingPathComponent("docs/file-systems.md")
    private static let begin = "<!-- features: begin. Written by SEGDL_WRITE_DOCS=1 swift test -->\n"
    private static let end = "<!-- features: end -->"

    @Test("states what the code does; SEGDL_WRITE_DOCS=1 writes it again")
    func features() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: Self.begin))
        let end = try #require(text.range(of: Self.end, range: begin.upperBound..<text.endIndex))
        let section = begin.upperBound..<end.lowerBound
        if ProcessInfo.processInfo.environment["SEGDL_WRITE_DOCS"] == "1" {
            let written = text.replacingCharacters(in: section, with: Self.markdown)
            try written.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(
            text[section] == Self.markdown, "run SEGDL_WRITE_DOCS=1 swift test --filter FeatureTableTests")
    }

    @Test(
        "does not mistake a lacking feature for a full disk, and accepts any error only where nothing depends on it"
    )
    func fatal() {
        for feature in FileSystemFeature.allCases {
            let isFree = [.dates, .attributes, .modes].contains(feature)
            for error in [Errno.noSpace, .readOnlyFileSystem, .noSuchProcess] {
                #expect(feature.isLacking(after: error) == isFree, "\(feature), \(error)")
            }
        }
        #expect(!FileSystemFeature.locks.isLacking(after: .wouldBlock))
        #expect(!FileSystemFeature.exclusiveNames.isLacking(after: .fileExists))
        #expect(!FileSystemFeature.links.isLacking(after: .fileExists))
        #expect(!FileSystemFeature.fileSync.isLacking(after: .ioError))
        #expect(!FileSystemFeature.directorySync.isLacking(after: .ioError))
    }

    private static var markdown: String {
        let rows = FileSystemFeature.allCases.map { feature in
            let errors = feature.errors?.map { "`\($0.symbol)`" }.joined(separator: ", ") ?? "any error"
            return
                "| \(feature.rawValue) | \(feature.calls) | \(errors) | \(feature.substitute) | \(feature.cost) |\n"
        }
        return "| feature | calls | not there | instead | cost |\n|---|---|---|---|---|\n" + rows.joined()
    }
}
