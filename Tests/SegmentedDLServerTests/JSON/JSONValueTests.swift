import SegmentedDLServer
import Testing

@Suite struct JSONValueTests {
    @Test("literals are values")
    func literals() {
        let value: JSONValue = ["a": ["b", "c"]]
        #expect(value == .object(["a": .array([.string("b"), .string("c")])]))
    }
}
