import Testing

@testable import SegmentedDL

@Suite("Requests over the same connection")
struct ConnectionUseTests {
    @Test("one is alone until another is sent from the same port, and again when that has ended")
    func alone() {
        let use = ConnectionUse()
        #expect(!use.isAlone(1))
        use.began(1, port: 4000)
        use.began(2, port: 4001)
        #expect(use.isAlone(1) && use.isAlone(2))
        use.began(3, port: 4000)
        #expect(!use.isAlone(1) && !use.isAlone(3) && use.isAlone(2))
        use.ended(3)
        #expect(use.isAlone(1))
        use.ended(1)
        #expect(!use.isAlone(1))
        use.ended(1)
    }

    @Test("one that is sent again counts for its newest connection")
    func again() {
        let use = ConnectionUse()
        use.began(1, port: 4000)
        use.began(2, port: 4000)
        use.began(1, port: 4001)
        #expect(use.isAlone(1) && use.isAlone(2))
    }
}
