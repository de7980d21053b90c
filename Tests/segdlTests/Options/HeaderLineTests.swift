import ArgumentParser
import SegmentedDL
import Testing

@testable import segdl

@Suite("Headers as on curl's command line")
struct HeaderLineTests {
    @Test("have a value, or none, or are removed")
    func forms() {
        #expect(HeaderLine("X-A: b;") == .field(HTTPHeader("X-A", "b;")))
        #expect(HeaderLine("X-A: ;") == .field(HTTPHeader("X-A", ";")))
        #expect(HeaderLine("X-A;") == .field(HTTPHeader("X-A", "")))
        #expect(HeaderLine("X-A:") == .leftOut("X-A"))
        #expect(HeaderLine("User-Agent: ")?.isLeftOut("user-agent") == true)
    }

    @Test("that concern only the connection are omitted and named, all others are sent")
    func omitted() throws {
        let fetch = try Fetch.parse([
            "-H", "Connection: keep-alive", "-H", "X-A: b", "-H", "accept-encoding: gzip, br", "-H",
            "Keep-Alive: 5", "-H", "Range: bytes=0-", "-H", "Connection:", "http://host/a",
        ])
        #expect(fetch.transport.headers.map(\.name) == ["X-A", "Keep-Alive", "Range"])
        #expect(fetch.transport.access.omittedHeaders == ["Connection", "accept-encoding"])
    }

    @Test(
        "are named once",
        arguments: [
            ([], nil),
            (
                ["Connection", "connection"],
                "the header Connection is not sent, because each request sets it itself."
            ),
            (
                ["Connection", "Accept-Encoding"],
                "the headers Accept-Encoding and Connection are not sent, because each request sets them itself."
            ),
        ] as [([String], String?)])
    func notice(names: [String], sentence: String?) {
        #expect(OmittedHeaders.sentence(names) == sentence)
    }

    @Test("in a list are omitted and named, too")
    func listed() throws {
        let text = "http://h/a\n  header=Connection: close\n  header=X-A: b\nhttp://h/c\n"
        var collector = try Fetch.parse(["http://host/z"]).collector()
        for entry in InputList.parse(text) { collector.add(entry) }
        #expect(collector.omittedHeaders == ["Connection"])
        #expect(try collector.requests.map { try $0.get().headers.map(\.name) } == [["X-A"], []])
    }

    @Test("are nothing else", arguments: ["X-A", "X A;", ";", "", ": b", "X-A: \u{1}"])
    func wrong(text: String) {
        #expect(HeaderLine(text) == nil)
    }
}
