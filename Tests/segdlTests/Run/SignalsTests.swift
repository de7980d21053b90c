import Foundation
import SegmentedDLSupport
import Testing

@testable import segdl

@Suite("Signals of a run")
struct SignalsTests {
    @Test("one sent right after they are watched is not lost", .timeLimit(.minutes(10)))
    func notLost() async {
        for _ in 0..<200 {
            let received = AsyncEvent()
            let signals = await Signals([SIGUSR1]) { received.send() }
            kill(getpid(), SIGUSR1)
            await received.wait()
            #expect(signals.exitStatus == 128 + SIGUSR1)
        }
    }

    @Test("the work begins when they are watched", .timeLimit(.minutes(10)))
    func work() async {
        let (isCancelled, status) = await Signals.cancelling(
            {
                kill(getpid(), SIGUSR2)
                try? await Task.sleep(for: .seconds(3600))
                return Task.isCancelled
            }, on: [SIGUSR2])
        #expect(isCancelled)
        #expect(status == 128 + SIGUSR2)
    }
}
