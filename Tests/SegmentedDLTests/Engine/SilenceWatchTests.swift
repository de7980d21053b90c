import SegmentedDLSupport
import Testing

@testable import SegmentedDL

@Suite("A silence")
struct SilenceWatchTests {
    private let watch = SilenceWatch(seconds: 5)

    @Test("lasts from the first check after a request until bytes arrive")
    func lasts() {
        #expect(!watch.lasts(now: 100))
        #expect(!watch.lasts(now: 104))
        #expect(watch.lasts(now: 105))
        watch.heard(now: 106)
        #expect(!watch.lasts(now: 110))
        #expect(watch.lasts(now: 111))
    }

    @Test("restarts with a request after one that has ended")
    func again() {
        #expect(!watch.lasts(now: 100))
        watch.ended()
        #expect(!watch.lasts(now: 120))
        #expect(watch.lasts(now: 125))
    }

    @Test("is reported once for each awaited phase")
    func once() {
        #expect(watch.isFirst(.answer))
        #expect(!watch.isFirst(.answer))
        #expect(watch.isFirst(.bytes))
        #expect(watch.isFirst(.connection))
        #expect(!watch.isFirst(.bytes))
    }

    @Test("notifies its listener, once for each awaited phase, as long as it has one")
    func notifies() {
        let count = Lock(0)
        watch.onSilence { count.withLock { $0 += 1 } }
        for _ in 0..<2 { _ = watch.isFirst(.answer) }
        #expect(count.withLock { $0 } == 1)
        watch.onSilence(nil)
        _ = watch.isFirst(.bytes)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("doubles the timeouts with each connection given up, twice at most, until one makes progress")
    func doublings() {
        #expect(watch.doublings == 0)
        // Connections that began together count once.
        for _ in 0..<3 { watch.gaveUp(after: 0) }
        #expect(watch.doublings == 1)
        watch.gaveUp(after: 1)
        watch.gaveUp(after: 0)
        #expect(watch.doublings == 2)
        watch.gaveUp(after: 2)
        #expect(watch.doublings == 2)
        watch.progressed()
        #expect(watch.doublings == 0)
    }

    @Test("the time to connect is not doubled")
    func doubled() {
        let patience = SilenceWatch.Patience(connection: 20, answer: 60, bytes: 30).doubled(2)
        #expect(patience.connection == 20 && patience.answer == 240 && patience.bytes == 120)
        #expect(SilenceWatch.Patience().doubled(1).answer == nil)
    }
}
