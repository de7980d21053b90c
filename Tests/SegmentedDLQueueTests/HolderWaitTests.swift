import Testing

@testable import SegmentedDLQueue

@Suite("Waiting for the process that has a queue open")
struct HolderWaitTests {
    @Test("continues for processes that only change the queue, up to a limit")
    func brief() {
        var wait = HolderWait(now: 100)
        for second in 100..<130 {
            let continues = wait.continues(isBrief: true, now: Double(second))
            #expect(continues)
        }
        let continues = wait.continues(isBrief: true, now: 130)
        #expect(!continues)
    }

    @Test("ends for a process that runs downloads, once it is not the one that was there before")
    func runner() {
        var wait = HolderWait(now: 0)
        let answers = [false, true, false, false].map { wait.continues(isBrief: $0, now: 1) }
        #expect(answers == [true, true, true, false])
    }
}
