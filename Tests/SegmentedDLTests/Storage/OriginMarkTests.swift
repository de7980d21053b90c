import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The mark of a finished file")
struct OriginMarkTests {
    private let origin = OriginMark.Origin(
        urlDigest: "d1", etag: "\"a\"", lastModified: "Wed, 01 Jan 2025 00:00:00 GMT")

    @Test("round-trips")
    func roundTrip() {
        let mark = OriginMark(origin, size: 7, modified: -3)
        #expect(OriginMark(parsing: mark.text) == mark)
        let bare = OriginMark(OriginMark.Origin(urlDigest: "d"), size: 0, modified: 0)
        #expect(OriginMark(parsing: bare.text) == bare)
    }

    @Test(
        "is invalid in another form",
        arguments: ["", "1", "2\nd\n7\n1\n\n", "1\nd\nx\n1\n\n", "1\nd\n7\n1\n\n\n"])
    func otherForm(text: String) {
        #expect(OriginMark(parsing: text) == nil)
    }

    @Test("is valid while the file is unchanged")
    func counts() throws {
        let directory = try TemporaryDirectory()
        let path = directory.filePath("f")
        let part = try PartFile(path, for: path)
        try part.fill(Array("content".utf8))
        OriginMark.mark(part, as: origin, try part.status())
        #expect(OriginMark.ofFile(at: path, try part.status())?.origin == origin)
        try part.fill(Array("Content".utf8))
        #expect(OriginMark.ofFile(at: path, try part.status()) == nil)
    }
}
