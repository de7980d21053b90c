import Foundation
import Testing

/// Phrases that readers found hard to understand. All of them have been replaced.
@Suite("The help, the messages and the pages")
struct PlainEnglishTests {
    private static let phrases = [
        "goes on after anything", "go on after anything", "nothing in the way of macOS",
        "takes over the tail of the one that would end last", "over everything that runs",
        "the end is a proof that", "makes one proof of theirs", "where we left the design",
        "What a checkpoint survives", "Until a connection stands", "No file is cut into smaller segments",
        "Work the queue off", "works it off", "Give downloads up", "Take what has ended out",
        "Also those that failed or were cancelled, if", "auto goes by its name",
        "who fetched which bytes when", "is no listing", "is no unfinished download", "is no checksum",
        "is no header", "is no well-formed", "does without it", "This source is not used any more",
        "could not be gone through", "it has another inode than then", "neither ETag nor date: they are",
        "The only connection that works", "A queue does not keep that wish",
        "These only say how aria2 transfers", "None comes for a file after", "what was to follow it failed",
    ]

    /// The text of the sources and pages, each file as one line.
    private static func texts() throws -> [(file: String, text: String)] {
        let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
        var files = [root.appending(path: "README.md")]
        for (folder, kind) in [("Sources", "swift"), ("docs", "md")] {
            let found = FileManager.default.enumerator(
                at: root.appending(path: folder), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(found) where file.pathExtension == kind {
                files.append(file)
            }
        }
        return try files.map { file in
            let text = try String(contentsOf: file, encoding: .utf8)
            return (file.lastPathComponent, text.split(whereSeparator: \.isWhitespace).joined(separator: " "))
        }
    }

    @Test("contain none of the phrases that readers stumbled over")
    func phrases() throws {
        let texts = try Self.texts()
        #expect(texts.count > 500)
        for phrase in Self.phrases {
            let files = texts.filter { $0.text.localizedCaseInsensitiveContains(phrase) }.map(\.file)
            #expect(files.isEmpty, "\(phrase): \(files)")
        }
    }

    @Test("are useful without the documentation, which an installed command lacks")
    func pages() throws {
        let root = URL(filePath: #filePath).appending(path: "../../../../Sources").standardized
        let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
        var files = 0
        for case let file as URL in try #require(found) where file.pathExtension == "swift" {
            files += 1
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
                #expect(!code.contains("docs/"), "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(files > 300)
    }
}
