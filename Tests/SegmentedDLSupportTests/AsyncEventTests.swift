import SegmentedDLSupport
import Testing

@Suite("A signal to one reader", .timeLimit(.minutes(10)))
struct AsyncEventTests {
    @Test("signals sent before the reader waits count as one")
    func coalesced() async {
        let signal = AsyncEvent()
        signal.send()
        signal.send()
        #expect(await signal.wait())
        signal.finish()
        #expect(await !signal.wait())
    }

    @Test("a signal wakes the reader")
    func wakes() async {
        let signal = AsyncEvent()
        let reader = Task { await signal.wait() }
        await Task.yield()
        signal.send()
        #expect(await reader.value)
    }

    @Test("a signal sent before the end is still read")
    func beforeTheEnd() async {
        let signal = AsyncEvent()
        signal.send()
        signal.finish()
        #expect(await signal.wait())
        #expect(await !signal.wait())
    }
}
