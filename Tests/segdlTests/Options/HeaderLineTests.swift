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

    @Test("are nothing else", arguments: ["X-A", "X A;", ";", "", ": b", "X-A: \u{1}"])
    func wrong(text: String) {
        #expect(HeaderLine(text) == nil)
    }
}
