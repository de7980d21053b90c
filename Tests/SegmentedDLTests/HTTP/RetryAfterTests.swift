import Testing

@testable import SegmentedDL

@Suite("Retry-After")
struct RetryAfterTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now: Int64 = 784_111_777

    @Test(
        "a number is seconds",
        arguments: [("0", 0), ("1", 1), ("120", 120), ("3600", 3600)] as [(String, Double)])
    func seconds(text: String, expected: Double) {
        #expect(RetryAfter.seconds(text, now: Self.now) == expected)
    }

    @Test(
        "a date is the time until then",
        arguments: [
            "Sun, 06 Nov 1994 08:50:37 GMT", "Sunday, 06-Nov-94 08:50:37 GMT", "Sun Nov  6 08:50:37 1994",
        ])
    func date(text: String) {
        #expect(RetryAfter.seconds(text, now: Self.now) == 60)
    }

    @Test("a date that has passed means now")
    func past() {
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:49:37 GMT", now: Self.now) == 0)
        #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:00:00 GMT", now: Self.now) == 0)
    }

    @Test(
        "no server makes a download wait forever",
        arguments: [
            "3601", "9223372036854775807", "Fri, 31 Dec 2999 23:59:59 GMT",
        ])
    func bounded(text: String) {
        #expect(RetryAfter.seconds(text, now: Self.now) == RetryAfter.maximumSeconds)
    }

    @Test("anything else is ignored", arguments: ["", "soon", "-5", "+5", "five", "1.5 minutes"])
    func garbled(text: String) {
        #expect(RetryAfter.seconds(text, now: Self.now) == nil)
    }
}
