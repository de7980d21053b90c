import Testing

@testable import SegmentedDL

@Suite("Content-Range")
struct ContentRangeTests {
    @Test(
        "a range and its total are read",
        arguments: [
            ("bytes 0-0/1", 0, 1, 1), ("bytes 0-499/1234", 0, 500, 1234),
            ("bytes 500-1233/1234", 500, 1234, 1234),
            ("Bytes 1-2/3", 1, 3, 3), ("bytes 007-009/0010", 7, 10, 10),
            (
                "bytes 1152921504606846974-1152921504606846975/1152921504606846976", (1 << 60) - 2, 1 << 60,
                1 << 60
            ),
        ] as [(String, Int64, Int64, Int64)])
    func good(text: String, lower: Int64, upper: Int64, total: Int64) {
        #expect(ContentRange(text) == .range(lower..<upper, total: total))
    }

    @Test("a star for the total means unknown")
    func unknownTotal() {
        #expect(ContentRange("bytes 10-19/*") == .range(10..<20, total: nil))
    }

    @Test("a star for the range occurs in a 416")
    func unsatisfied() {
        #expect(ContentRange("bytes */1234") == .unsatisfied(total: 1234))
        #expect(ContentRange("bytes */0") == .unsatisfied(total: 0))
        #expect(ContentRange("bytes */*") == nil)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", " ", "bytes", "bytes ", "0-1/2", "bytes=0-1/2", "items 0-1/2", "bytes 0-1", "bytes 0-1/",
            "bytes 0-/2",
            "bytes -1/2", "bytes -/2", "bytes /2", "bytes 0/2", "bytes 0-1-2/3", "bytes 0-1/2/3",
            "bytes 0 - 1/2",
            "bytes 0-1 /2", "bytes a-b/c", "bytes 0x0-0x1/2", "bytes 0-1/2;", "bytes 0-1/2, bytes 3-4/5",
            "bytes 0-1/2 3", "bytes ٠-١/٢", "bytes +0-1/2", "bytes 0-+1/2", "bytes 0-1/+2", "bytes 0.0-1/2",
        ])
    func garbled(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        "contradictory ranges are refused",
        arguments: [
            "bytes 5-4/10", "bytes 0-10/10", "bytes 10-10/10", "bytes 0-0/0", "bytes -5-4/10", "bytes 0-1/-1",
            "bytes */-1",
        ])
    func senseless(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        "numbers that overflow are refused, not wrapped around",
        arguments: [
            "bytes 0-9223372036854775807/*", "bytes 0-9223372036854775807/9223372036854775807",
            "bytes 0-9223372036854775808/*", "bytes 9223372036854775808-9223372036854775809/*",
            "bytes 0-1/9223372036854775808", "bytes 0-1/99999999999999999999999999",
            "bytes */18446744073709551616",
        ])
    func overflow(text: String) {
        #expect(ContentRange(text) == nil)
    }

    @Test(
        "a number consists only of digits",
        arguments: [
            ("0", 0), ("42", 42), ("1152921504606846976", 1 << 60), ("1152921504606846977", nil),
            ("9223372036854775808", nil), ("", nil),
            ("-1", nil),
            ("+1", nil), (" 1", nil), ("1 ", nil), ("1,000", nil), ("1e3", nil), ("٣", nil),
        ] as [(String, Int64?)])
    func number(text: String, expected: Int64?) {
        #expect(ContentRange.number(text) == expected)
    }

    @Test(
        "an invalid text may describe the whole file, unless its numbers do not",
        arguments: [
            ("0-4/5", true), ("bytes: 0-4/5", true), ("bytes 0-/5", true), ("bytes=0-5/5", true),
            ("bytes NaN-NaN/5", true), ("bytes 0-undefined/5", true), ("1-4/5", false), ("0-3/5", false),
            ("bytes 0-4", false), ("bytes 0-4/5", false), ("items 0-4/5", false), ("", false), ("/", false),
        ])
    func whole(text: String, isWhole: Bool) {
        #expect(ContentRange.isOfWhole(text) == isWhole)
    }
}
