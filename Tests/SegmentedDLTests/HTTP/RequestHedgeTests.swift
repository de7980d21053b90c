import Testing

@testable import SegmentedDL

@Suite("A request without a response")
struct RequestHedgeTests {
    @Test("is repeated twice at a prompt host, and never at another one")
    func most() {
        var hedge = RequestHedge()
        #expect([1, 2, 3].map { _ in hedge.isSilent(isPrompt: false) } == [false, false, false])
        #expect([1, 2, 3].map { _ in hedge.isSilent(isPrompt: true) } == [true, true, false])
    }

    @Test("fails with the last of its repetitions")
    func failure() {
        var hedge = RequestHedge()
        _ = hedge.isSilent(isPrompt: true)
        _ = hedge.isSilent(isPrompt: true)
        #expect([1, 2, 3].map { _ in hedge.failed() } == [false, false, true])
        var alone = RequestHedge()
        let isOver = alone.failed()
        #expect(isOver)
    }
}
