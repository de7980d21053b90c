import SegmentedDLServer
import Testing

@Suite struct JSONValueTests {
    private func read(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }

    private func written(_ value: JSONValue) -> String { String(decoding: value.bytes, as: UTF8.self) }

    @Test(
        "a value round-trips",
        arguments: [
            "null", "true", "false", "0", "-1", "9223372036854775807", "1.5", "\"\"", "\"a\\\"b\\\\c\"", "[]",
            "{}",
            "[1,[2,{\"a\":null}]]", "{\"a\":1,\"b\":[true]}", "\"\\u0001\\u001f\"", "\"\u{fc}\u{1f600}\"",
        ])
    func roundTrip(text: String) throws {
        #expect(written(try read(text)) == text)
    }

    @Test("numbers keep their kinds")
    func numbers() throws {
        #expect(try read("1") == .integer(1))
        #expect(try read("true") == .bool(true))
        #expect(try read("1e2").whole == 100)
        #expect(try read("18446744073709551616") == .number(18_446_744_073_709_551_616))
        #expect(try read("1.5").whole == nil)
    }

    @Test(
        "a number keeps its value when written",
        arguments: [
            "54445444444444444.444444", "1e18", "-0.0", "1.0", "9.3e18", "9007199254740993.5", "1e-7",
        ])
    func numberRoundTrip(text: String) throws {
        let value = try read(text)
        #expect(try read(written(value)) == value)
    }

    @Test(
        "text that is not JSON is refused",
        arguments: ["", "{", "[1,,2]", "{\"a\"}", "nul", "\"a", "\u{1}", "1 2"])
    func senseless(text: String) {
        #expect(throws: JSONValue.ReadingError.self) { try read(text) }
    }

    @Test("bytes that are not UTF-8 are refused")
    func notUTF8() {
        #expect(throws: JSONValue.ReadingError.self) { try JSONValue(parsing: [0x22, 0xff, 0xfe, 0x22]) }
    }

    @Test("64 levels are read, and more are refused before they are parsed")
    func depth() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(written(try read(deep)) == deep)
        #expect(throws: JSONValue.ReadingError.self) { try read("[\(deep)]") }
        #expect(throws: JSONValue.ReadingError.self) { try read(String(repeating: "[", count: 1_000_000)) }
        // Brackets in strings do not count.
        let text = "\"" + String(repeating: "[", count: 100) + "\\\"[\""
        #expect(written(try read(text)) == text)
    }
}
