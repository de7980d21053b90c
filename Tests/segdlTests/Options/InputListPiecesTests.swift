import SegmentedDL
import SystemPackage
import TestSupport
import Testing

@testable import segdl

@Suite("A list that is read in pieces")
struct InputListPiecesTests {
    private let directory: ScratchDirectory

    init() throws {
        directory = try ScratchDirectory()
    }

    private func read(_ text: String) throws -> [InputList.Entry] {
        try directory.write(Array(text.utf8), to: "list")
        return try InputList.read(directory.file("list").string)
    }

    @Test("has the same entries as one that is read at once", arguments: ["\n", "\r\n"], ["", "x"])
    func seams(end: String, last: String) throws {
        // Of all lengths, so that pieces end anywhere in a line.
        let lines = (0..<15_000).map { number in
            let filler = String(repeating: "x", count: number % 97)
            return number % 5 == 4 ? "  out=f\(number)\(filler)" : "http://host/\(number)/\(filler)"
        }
        let text = lines.joined(separator: end) + end + last
        let isSame = try read(text) == InputList.parse(text)
        #expect(isSame)
    }

    @Test("is not a binary file, wherever its NUL bytes are")
    func binary() {
        for text in ["\0", "http://host/a\n\0", String(repeating: "http://host/a\n", count: 40_000) + "\0"] {
            let error = #expect(throws: DownloadError.self) { try read(text) }
            #expect(error?.message.contains("contains NUL bytes") == true)
        }
    }

    @Test("has no endless lines")
    func endlessLine() throws {
        let error = #expect(throws: DownloadError.self) {
            try read("http://host/a\n" + String(repeating: "x", count: 3 << 20))
        }
        #expect(error?.code == .invalidSetting)
        #expect(error?.message.contains("longer than 1048576 bytes") == true)
    }
}
