import Foundation
import SegmentedDL
import Testing

@testable import SegmentedDLServer

@Suite struct MetalinkUploadTests {
    private func upload(_ files: String, selection: String? = nil) throws -> [String] {
        let text = "<metalink xmlns=\"urn:ietf:params:xml:ns:metalink\">\(files)</metalink>"
        let document = Data(text.utf8).base64EncodedString(options: .lineLength64Characters)
        return try MetalinkUpload(document, selection: selection).files.map(\.path.text)
    }

    private func file(_ name: String, _ url: String = "http://h/f") -> String {
        "<file name=\"\(name)\"><url>\(url)</url></file>"
    }

    @Test("its files are in order, even if the Base64 has line breaks")
    func files() throws {
        #expect(try upload(file("b") + file("x/a")) == ["b", "x/a"])
        #expect(try upload("").isEmpty)
    }

    @Test(
        "files are selected by number",
        arguments: [
            ("1", ["a"]), ("2-3", ["b", "c"]), ("3,1", ["a", "c"]), ("9", []), ("", ["a", "b", "c"]),
        ])
    func selection(text: String, names: [String]) throws {
        #expect(try upload(file("a") + file("b") + file("c"), selection: text) == names)
    }

    @Test("invalid numbers are refused", arguments: ["x", "0", "3-1", "1,,2", "-", "1-2-3", "-1"])
    func wrongSelection(text: String) {
        #expect(throws: RPCFailure("We encountered a problem while processing the option '--select-file'.")) {
            try upload(file("a"), selection: text)
        }
    }

    @Test(
        "an unusable file refuses the document",
        arguments: ["../a", "/a", "a/../../b", "", "a\u{7f}"])
    func names(name: String) {
        #expect(throws: RPCFailure.self) { try upload(file("good") + file(name)) }
        #expect(throws: RPCFailure.self) { try upload(file("good") + file("b", "ftp://h/b")) }
    }

    @Test(
        "an invalid Metalink is refused with aria2's message", arguments: ["", "!!", "AAAA", "PGh0bWwvPg=="])
    func broken(document: String) {
        let error = #expect(throws: RPCFailure.self) { try MetalinkUpload(document) }
        #expect(error?.message.hasPrefix("Could not parse Metalink XML document: ") == true)
        #expect(error?.message.hasSuffix("Nothing was added.") == true)
    }
}
