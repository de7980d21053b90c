import Foundation
import Testing

@Suite("The table of faults")
struct FaultTableTests {
    private static let page = page("faults")
    private static let begin = "<!-- answers: begin. Written by SEGDL_WRITE_DOCS=1 swift test -->\n"
    private static let end = "\n<!-- answers: end -->"

    @Test("states what the tests state about responses; SEGDL_WRITE_DOCS=1 writes it again")
    func answers() throws {
        let text = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(text.range(of: Self.begin))
        let end = try #require(text.range(of: Self.end, range: begin.upperBound..<text.endIndex))
        let section = begin.upperBound..<end.lowerBound
        if ProcessInfo.processInfo.environment["SEGDL_WRITE_DOCS"] == "1" {
            let written = text.replacingCharacters(in: section, with: AnswerFault.markdown)
            try written.write(to: Self.page, atomically: true, encoding: .utf8)
            return
        }
        #expect(
            text[section] == AnswerFault.markdown,
            "run SEGDL_WRITE_DOCS=1 swift test --filter FaultTableTests")
    }

    @Test("names only tests that exist", arguments: ["faults", "reports"])
    func references(name: String) throws {
        let missing = try Self.mentioned(in: Self.page(name)).subtracting(TestList.names(in: "Tests"))
        #expect(missing.isEmpty, "\(missing.sorted())")
    }

    @Test("names every test of faults")
    func complete() throws {
        let left = try TestList.names(in: "Tests/Faults").subtracting(Self.mentioned(in: Self.page))
        #expect(left.isEmpty, "\(left.sorted())")
    }

    @Test("has each fault once, by description and server behaviour")
    func distinct() {
        let faults = AnswerFault.all
        #expect(faults.count > 150)
        for group in AnswerFault.groups {
            #expect(Set(group.faults.map(\.fault)).count == group.faults.count, "\(group.title)")
        }
    }

    private static func page(_ name: String) -> URL {
        TestList.root.appendingPathComponent("docs/\(name).md")
    }

    /// The names of the form `Suite/function` in a page.
    private static func mentioned(in page: URL) throws -> Set<String> {
        let text = try String(contentsOf: page, encoding: .utf8)
        return Set(text.matches(of: /`([A-Z]\w*Tests\/\w+)`/).map { String($0.1) })
    }
}
