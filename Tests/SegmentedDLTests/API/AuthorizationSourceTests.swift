import SegmentedDLSupport
import Testing

@testable import SegmentedDL

@Suite("A source of the Authorization field")
struct AuthorizationSourceTests {
    @Test("is queried after a refusal, once for all requests refused with one value")
    func renewal() async throws {
        let asked = Lock([[String]]())
        let source = AuthorizationSource { challenges in
            asked.withLock { asked in
                asked.append(challenges)
                return "value \(asked.count)"
            }
        }
        #expect(source.value == nil)
        #expect(try await source.renew(after: nil, challenges: ["a", "b"]))
        #expect(source.value == "value 1")
        // Another request without the field was in flight.
        #expect(try await source.renew(after: nil, challenges: []))
        #expect(source.value == "value 1")
        #expect(try await source.renew(after: "value 1", challenges: ["c"]))
        #expect(source.value == "value 2")
        #expect(asked.withLock { $0 } == [["a", "b"], ["c"]])
    }

    @Test("without another value leaves the refusal in place")
    func nothing() async throws {
        let none = AuthorizationSource { _ in nil }
        #expect(try await !none.renew(after: nil, challenges: []))
        let same = AuthorizationSource { _ in "x" }
        #expect(try await same.renew(after: nil, challenges: []))
        #expect(try await !same.renew(after: "x", challenges: []))
    }

    @Test("may return a value with white space around it, such as a line of a file")
    func trimmed() async throws {
        let source = AuthorizationSource { _ in " Bearer x\r\n" }
        #expect(try await source.renew(after: nil, challenges: []))
        #expect(source.value == "Bearer x")
    }

    @Test(
        "fails with a value that is not valid in a header field, and does not show it",
        arguments: ["Bearer x\r\nX-Evil: y", "Bearer x\ny", "Bearer x\u{0}", "", "\n"])
    func invalid(value: String) async throws {
        let source = AuthorizationSource { _ in value }
        let error = await #expect(throws: DownloadError.self) {
            try await source.renew(after: nil, challenges: [])
        }
        #expect(error?.code == .invalidSetting && error?.recoverySuggestion != nil)
        #expect(error?.message.contains("closure of an AuthorizationSource") == true)
        #expect(error?.message.contains("Evil") == false && source.value == nil)
    }

    @Test("knows the last values that the host accepted")
    func accepted() {
        let source = AuthorizationSource { _ in nil }
        #expect(!source.hasWorked(nil) && !source.hasWorked("0"))
        for number in 0..<20 {
            source.worked("\(number)")
            source.worked("\(number)")
        }
        #expect(!source.hasWorked("0") && source.hasWorked("18") && source.hasWorked("19"))
    }

    @Test("supplies one value per request")
    func credentials() async throws {
        let source = AuthorizationSource { _ in "secret" }
        let credentials = Credentials.authorization(from: source)
        #expect(try await credentials.current(now: 0)?.field == nil)
        _ = try await source.renew(after: nil, challenges: [])
        let current = try #require(try await credentials.current(now: 0))
        #expect(current.field == "secret" && credentials.field == nil)
        var dumped = "\(current)"
        dump(current, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
