import Testing

@testable import SegmentedDL

@Suite("Whether a refusal concerns the host or the file")
struct HostRefusalsTests {
    private static let bad = 1
    private static let good = 2

    /// The limit of a host after a refusal with `open` connections.
    private func lowered(to open: Int) -> HostLimit {
        var limit = HostLimit()
        limit.refused(whileOpen: open, retryAfter: nil, now: 0)
        return limit
    }

    @Test(
        "the third consecutive refusal concerns the file, if others were served meanwhile, and the limit is restored"
    )
    func ofFile() {
        var refusals = HostRefusals()
        let first = refusals.refused(Self.bad, over: 10, whileOpen: 5, limit: HostLimit(), now: 0)
        _ = refusals.served(Self.good, over: 11)
        let second = refusals.refused(Self.bad, over: 12, whileOpen: 5, limit: lowered(to: 5), now: 1)
        #expect(first == nil && second == nil && !refusals.isOfFile(Self.bad))
        let third = refusals.refused(Self.bad, over: 13, whileOpen: 5, limit: lowered(to: 4), now: 2)
        #expect(third == HostLimit() && refusals.isOfFile(Self.bad))
        // From now on none counts, even if the file is alone.
        let later = lowered(to: 7)
        #expect(refusals.refused(Self.bad, over: 14, whileOpen: 0, limit: later, now: 9) == later)
    }

    @Test("a host that serves none, or only earlier requests, may refuse all")
    func ofHost() {
        var refusals = HostRefusals()
        for connection in 10..<30 {
            _ = refusals.served(Self.good, over: 9)
            let found = refusals.refused(
                Self.bad, over: connection, whileOpen: 0, limit: HostLimit(), now: Double(connection))
            #expect(found == nil)
        }
    }

    @Test("a host that serves more connections than are open now does not refuse because of their number")
    func fewer() {
        var refusals = HostRefusals()
        let found = [8, 7, 6].enumerated().map { index, others in
            refusals.refused(
                Self.bad, over: 10 + index, whileOpen: others, limit: lowered(to: others + 1), now: 0)
        }
        #expect(found == [nil, nil, lowered(to: 9)])
        // A stall is not such a sign.
        var other = HostRefusals()
        for connection in 10..<20 {
            let others = connection == 10 ? 8 : 0
            #expect(
                other.refused(Self.bad, over: connection, whileOpen: others, limit: HostLimit(), now: 0)
                    == nil)
        }
    }

    @Test("a file that is finally served was refused by the host: the limit is kept")
    func served() {
        var refusals = HostRefusals()
        for connection in [10, 12] {
            _ = refusals.refused(Self.bad, over: connection, whileOpen: 3, limit: HostLimit(), now: 0)
            _ = refusals.served(Self.good, over: connection + 1)
        }
        #expect(refusals.served(Self.bad, over: 14) == nil)
        // Its count restarts.
        for connection in [15, 17] {
            #expect(
                refusals.refused(Self.bad, over: connection, whileOpen: 3, limit: lowered(to: 3), now: 1)
                    == nil)
            _ = refusals.served(Self.good, over: connection + 1)
        }
        let found = refusals.refused(Self.bad, over: 19, whileOpen: 3, limit: lowered(to: 2), now: 1)
        #expect(found == lowered(to: 3))
    }

    @Test("a host with a request rate limit refuses a file only if it serves others after each refusal")
    func rate() {
        var limit = HostLimit()
        limit.worked()
        limit.refused(whileOpen: 0, retryAfter: nil, now: 0)
        var (refusals, found) = (HostRefusals(), [Bool]())
        for (connection, isServed) in [(10, true), (12, false), (14, false), (16, true), (18, false)] {
            _ = refusals.refused(Self.bad, over: connection, whileOpen: 0, limit: limit, now: 0)
            found.append(refusals.isOfFile(Self.bad))
            if isServed { _ = refusals.served(Self.good, over: connection + 1) }
        }
        #expect(found == [false, false, false, false, true])
    }

    @Test("several such files are found, and the limit is restored when all are")
    func several() {
        var refusals = HostRefusals()
        var (connection, found) = (10, [HostLimit?]())
        for _ in 0..<3 {
            for file in [1, 3] {
                found.append(
                    refusals.refused(file, over: connection, whileOpen: 5, limit: HostLimit(), now: 0))
                _ = refusals.served(Self.good, over: connection + 1)
                connection += 2
            }
        }
        #expect(refusals.isOfFile(1) && refusals.isOfFile(3))
        #expect(found.prefix(4).allSatisfy { $0 == nil } && found.last == HostLimit())
    }

    @Test("a host that then refuses others, and serves none, is busy after all")
    func contradicted() {
        var refusals = HostRefusals()
        for connection in [10, 12, 14] {
            _ = refusals.refused(Self.bad, over: connection, whileOpen: 3, limit: HostLimit(), now: 0)
            _ = refusals.served(Self.good, over: connection + 1)
        }
        #expect(refusals.isOfFile(Self.bad))
        _ = refusals.refused(Self.good, over: 16, whileOpen: 3, limit: HostLimit(), now: 1)
        #expect(refusals.refused(Self.bad, over: 17, whileOpen: 3, limit: HostLimit(), now: 1) == nil)
        #expect(!refusals.isOfFile(Self.bad))
    }

    @Test("another file may test a doubtful limit a second later, once, and its success refutes it")
    func trial() {
        var refusals = HostRefusals()
        _ = refusals.refused(Self.bad, over: 10, whileOpen: 1, limit: HostLimit(), now: 0)
        #expect(refusals.nextTrial(now: 0) == 1 && !refusals.mayTry(Self.good, now: 0.9))
        #expect(refusals.mayTry(Self.good, now: 1) && !refusals.mayTry(Self.bad, now: 1))
        #expect(refusals.nextTrial(now: 1) == nil)
        refusals.tries(11)
        #expect(!refusals.mayTry(3, now: 2))
        #expect(refusals.served(Self.good, over: 11) == HostLimit())
        #expect(!refusals.mayTry(3, now: 2), "there is no limit to try")
    }

    @Test("a test that the host refuses to a file that it serves confirms the limit")
    func trialThatFails() {
        var refusals = HostRefusals()
        _ = refusals.refused(Self.bad, over: 10, whileOpen: 1, limit: HostLimit(), now: 0)
        refusals.tries(11)
        refusals.hostRefused()
        refusals.ended(11)
        #expect(!refusals.mayTry(3, now: 100) && refusals.nextTrial(now: 0) == nil)
    }

    @Test("the number of remembered files is bounded")
    func many() {
        var refusals = HostRefusals()
        for file in 0..<1000 {
            _ = refusals.refused(file, over: file, whileOpen: 1, limit: HostLimit(), now: 0)
        }
        #expect(refusals.mayTry(0, now: 5) && !refusals.mayTry(999, now: 5))
    }
}
