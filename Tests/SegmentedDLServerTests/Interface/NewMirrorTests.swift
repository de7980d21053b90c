import SegmentedDL
import SegmentedDLMirror
import Testing

@testable import SegmentedDLServer

@Suite struct NewMirrorTests {
    @Test("all members are read")
    func members() throws {
        let mirror = try NewMirror([
            "source": "http://h/", "directory": "d", "format": "s3", "prefix": "p", "include": ["*.iso"],
            "exclude": ["b"], "depth": .integer(2), "deletes": .bool(true), "headers": ["A: b"],
            "stopped": .bool(true), "expectedTypes": ["image/*"],
        ])
        var order = MirrorOrder(source: "http://h/", directory: "d")
        order.format = .s3
        order.prefix = "p"
        order.include = ["*.iso"]
        order.exclude = ["b"]
        order.depth = 2
        order.deletes = true
        order.headers = ["A: b"]
        order.expectedTypes = ["image/*"]
        #expect(mirror.order == order && mirror.isStopped)
    }

    @Test("an unknown type is refused")
    func noType() throws {
        let mirror = try NewMirror(["source": "http://h/", "directory": "d", "expectedTypes": ["image"]])
        #expect(throws: DownloadError.self) { try mirror.order.validate() }
    }

    @Test("null counts as missing")
    func null() throws {
        let mirror = try NewMirror([
            "source": "http://h/", "directory": "d", "depth": .null, "deletes": .null,
        ])
        #expect(mirror.order == MirrorOrder(source: "http://h/", directory: "d") && !mirror.isStopped)
    }

    @Test(
        "members of another type, unknown ones and missing ones are refused",
        arguments: [
            ["source": "http://h/"], ["directory": "d"], ["source": "", "directory": "d"],
            ["source": "http://h/", "directory": "a\nb"],
            ["source": "http://h/", "directory": "d", "x": "y"],
            ["source": "http://h/", "directory": "d", "format": "zip"],
            ["source": "http://h/", "directory": "d", "depth": .integer(-1)],
            ["source": "http://h/", "directory": "d", "deletes": "yes"],
            ["source": "http://h/", "directory": "d", "include": "x"],
            ["source": "http://h/", "directory": "d", "expectedTypes": "image/*"],
        ] as [[String: JSONValue]])
    func refused(members: [String: JSONValue]) {
        #expect(throws: InterfaceError.self) { try NewMirror(members) }
    }
}
