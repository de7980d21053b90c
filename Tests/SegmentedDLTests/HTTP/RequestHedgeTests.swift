import Testing

@testable import SegmentedDL

@Suite("A request without a response")
struct RequestHedgeTests {
    private func steps(isPrompt: Bool, mayOmitRange: Bool) -> [RequestHedge.Step] {
        var hedge = RequestHedge(isPrompt: isPrompt, mayOmitRange: mayOmitRange)
        return Array(sequence(state: ()) { _ in hedge.next() })
    }

    @Test("is repeated sooner at a prompt host, and at last without a range if that is as good")
    func attempts() {
        let last = RequestHedge.Kind.withoutRange
        #expect(steps(isPrompt: true, mayOmitRange: true).map(\.kind) == [.repeated, .repeated, last])
        #expect(steps(isPrompt: false, mayOmitRange: true).map(\.kind) == [.repeated, last])
        #expect(steps(isPrompt: true, mayOmitRange: false).map(\.kind) == [.repeated, .repeated])
        // Two silent connections do not delay a document until the timeout.
        #expect(steps(isPrompt: false, mayOmitRange: false).map(\.kind) == [.repeated, .repeated])
        #expect(steps(isPrompt: false, mayOmitRange: false).map(\.delay) == [5, 5])
        // The range is omitted at the same time, because nothing shows that the host is slow.
        for isPrompt in [true, false] {
            #expect(steps(isPrompt: isPrompt, mayOmitRange: true).map(\.delay).reduce(0, +) == 15)
        }
        #expect(steps(isPrompt: true, mayOmitRange: true).first?.delay == 0)
    }

    @Test("fails with the last of its repetitions")
    func failure() {
        var hedge = RequestHedge(isPrompt: true, mayOmitRange: false)
        for _ in 0..<2 { hedge.sent() }
        #expect([1, 2, 3].map { _ in hedge.failed() } == [false, false, true])
        var alone = RequestHedge(isPrompt: false, mayOmitRange: true)
        let isOver = alone.failed()
        #expect(isOver)
    }
}
