import Testing

@testable import SegmentedDLOptions

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("The documentation's tables of aria2's options")
struct OptionPageTests {
    /// Returns the names in the rows of a page that begin with one of these.
    private func names(_ page: String, rows: String...) throws -> Set<String> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: root.appending(path: "docs/\(page).md"), encoding: .utf8)
        let found = text.split(separator: "\n").filter { line in
            rows.contains { line.hasPrefix("| \($0)") }
        }
        #expect(found.count == rows.count)
        let words = found.flatMap { row in
            row.split(separator: "|")[rows.count > 1 ? 1 : 0].split(separator: "`")
        }
        return Set(words.map(String.init).filter { Aria2Options.named[$0] != nil })
    }

    private func options(_ isMeant: (Aria2Option) -> Bool) -> Set<String> {
        Set(Aria2Options.all.filter(isMeant).map(\.name))
    }

    @Test("contain those of a file")
    func file() throws {
        #expect(
            try names("aria2", rows: "of one file, including in a list:") == options { $0.scope == .file })
    }

    @Test("contain those that are refused")
    func missing() throws {
        #expect(
            try names("aria2", rows: "`daemon`")
                == options { if case .missing = $0.scope { true } else { false } })
    }

    @Test("contain those of lists")
    func listed() throws {
        let names = try names(
            "mirror-lists", rows: "tries and speed of one", "connections of one", "files that exist", "caches"
        )
        #expect(names == options(\.isInLists))
    }

    @Test("contain those that lists ignore")
    func lists() throws {
        let names = try names(
            "mirror-lists", rows: "tries and speed |", "connections |", "segments and sources",
            "existing files",
            "the disk", "requests", "the list itself")
        #expect(names == options(\.isPassedOverInLists))
    }
}
