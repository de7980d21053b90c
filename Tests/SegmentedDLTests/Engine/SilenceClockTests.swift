import Testing

@testable import SegmentedDL

@Suite("The silence timeout of a connection")
struct SilenceClockTests {
    private func patience(_ change: (inout Transport) -> Void = { _ in }) -> SilenceWatch.Patience {
        var transport = Transport()
        change(&transport)
        return transport.patience
    }

    @Test("has separate limits for the response and for the bytes, and the first defaults to the second")
    func limits() {
        let usual = patience()
        #expect(usual.answer == 60 && usual.bytes == 60)
        #expect(usual.setting(for: .answer) == .lowSpeedTime)
        let own = patience { $0.firstByteTimeout = .seconds(300) }
        #expect(own.answer == 300 && own.bytes == 60)
        #expect(own.setting(for: .answer) == .firstByteTimeout)
        #expect(own.setting(for: .bytes) == .lowSpeedTime)
        #expect(own.setting(for: .connection) == .connectTimeout)
        let none = patience { $0.lowSpeedLimit = 0 }
        #expect(none.answer == nil && none.bytes == nil)
        #expect(patience { $0.firstByteTimeout = .zero }.answer == nil)
    }

    @Test("that was doubled is explained by its setting")
    func doubling() {
        #expect(TransferSilence.doubling(1, 0) == "")
        #expect(TransferSilence.doubling(2, 1) == ", the timeout of 1.0 s doubled")
        #expect(TransferSilence.doubling(4, 2) == ", the timeout of 1.0 s doubled twice")
    }

    @Test("restarts with each byte, and with each phase of the response")
    func anew() {
        var clock = SilenceWatch.Clock(patience { $0.firstByteTimeout = .seconds(25) })
        func isOver(_ awaited: SilenceWatch.Awaited?, _ now: Double, heard: Bool = false) -> Bool {
            clock.isOver(awaited: awaited, hasHeard: heard, now: now)
        }
        #expect(!isOver(.connection, 0))
        #expect(!isOver(.connection, 1000))
        #expect(!isOver(.answer, 1001))
        #expect(!isOver(.answer, 1025.9))
        #expect(isOver(.answer, 1026))
        #expect(!isOver(.bytes, 1027))
        #expect(!isOver(.bytes, 1086))
        #expect(!isOver(.bytes, 1086.5, heard: true))
        #expect(!isOver(.bytes, 1146))
        #expect(isOver(.bytes, 1146.5))
        // The server is waiting for this program.
        #expect(!isOver(nil, 1147))
        #expect(!isOver(nil, 2000))
    }
}
