import Testing

@testable import SegmentedDL

@Suite("Hosts that have responded")
struct AnsweredHostsTests {
    @Test("are recorded separately")
    func known() {
        let hosts = AnsweredHosts()
        hosts.note("a:80")
        #expect(hosts.contains("a:80") && !hosts.contains("b:80"))
        #expect(!hosts.sendsShortBodies("a:80"))
    }

    @Test("without a connection are resolved again, until they respond")
    func unreachable() {
        let hosts = AnsweredHosts()
        hosts.note("a:80")
        #expect(!hosts.isUnreachable("a:80"))
        hosts.noteUnreachable("a:80")
        #expect(hosts.isUnreachable("a:80") && !hosts.isUnreachable("b:80"))
        hosts.note("a:80")
        #expect(!hosts.isUnreachable("a:80"))
        var request = TransferRequest(url: "http://a/", range: .none)
        #expect(request.nameSeconds == 60)
        request.resolvesAnew = true
        #expect(request.nameSeconds == 0)
    }

    @Test(
        "that become unreachable have an outage from the first failure, which is reported once, and ends with a response"
    )
    func outage() {
        let hosts = AnsweredHosts()
        #expect(hosts.noteUnreachable("a:80", now: 0) == nil)
        hosts.note("a:80", now: 1)
        #expect(hosts.noteUnreachable("a:80", now: 10) == .init(seconds: 0, isNews: false))
        #expect(hosts.noteUnreachable("a:80", now: 12) == .init(seconds: 2, isNews: true))
        #expect(hosts.noteUnreachable("a:80", now: 30) == .init(seconds: 20, isNews: false))
        #expect(hosts.noteUnreachable("b:80", now: 30) == nil)
        #expect(hosts.note("a:80", now: 31) == 21)
        #expect(hosts.note("a:80", now: 32) == nil)
        _ = hosts.noteUnreachable("a:80", now: 40)
        #expect(hosts.note("a:80", now: 41) == nil)
    }

    @Test("are given up with a download that fails for them, until they respond or half a minute has passed")
    func givenUp() {
        let hosts = AnsweredHosts()
        hosts.giveUp("a:80")
        #expect(!hosts.isGivenUp("a:80", now: 0))
        hosts.noteUnreachable("a:80", now: 0)
        #expect(!hosts.isGivenUp("a:80", now: 0))
        hosts.giveUp("a:80")
        #expect(hosts.isGivenUp("a:80", now: 30) && !hosts.isGivenUp("b:80", now: 30))
        #expect(!hosts.isGivenUp("a:80", now: 31))
        hosts.noteUnreachable("a:80", now: 29)
        #expect(hosts.isGivenUp("a:80", now: 59))
        hosts.note("a:80", now: 60)
        hosts.noteUnreachable("a:80", now: 61)
        #expect(!hosts.isGivenUp("a:80", now: 61))
    }

    @Test("that are given up are not retried within seconds of an attempt that was slow and failed")
    func sparedTry() {
        let hosts = AnsweredHosts()
        let error = EngineError(kind: .timeout, message: "Connection timeout after 30000 ms")
        hosts.noteUnreachable("a:80", error, cost: 30, now: 30)
        #expect(hosts.sparedTry(at: "a:80", now: 30) == nil)
        hosts.giveUp("a:80")
        #expect(hosts.sparedTry(at: "a:80", now: 35)?.kind == .timeout)
        #expect(hosts.sparedTry(at: "b:80", now: 35) == nil)
        #expect(hosts.sparedTry(at: "a:80", now: 36) == nil)
        hosts.noteUnreachable("a:80", error, cost: 30, now: 66)
        #expect(hosts.sparedTry(at: "a:80", now: 67)?.ofSparedTry.isOfHostGivenUp == true)
        // A refused connection costs nothing: each file may try.
        hosts.noteUnreachable("a:80", EngineError(kind: .refused, message: "x"), cost: 0.01, now: 68)
        #expect(hosts.sparedTry(at: "a:80", now: 68) == nil && hosts.isGivenUp("a:80", now: 68))
        hosts.noteUnreachable("a:80", error, cost: 30, now: 99)
        hosts.note("a:80", now: 100)
        #expect(hosts.sparedTry(at: "a:80", now: 100) == nil)
    }

    @Test("are steady after four bodies without a pause, however long")
    func steady() {
        let hosts = AnsweredHosts()
        hosts.bodyEnded(of: "a:80", hasPaused: false)
        hosts.note("a:80", isShort: true)
        for _ in 0..<2 { hosts.bodyEnded(of: "a:80", hasPaused: false) }
        #expect(!hosts.isSteady("a:80"))
        hosts.bodyEnded(of: "a:80", hasPaused: false)
        #expect(hosts.isSteady("a:80") && !hosts.isSteady("b:80"))
        hosts.bodyEnded(of: "a:80", hasPaused: true)
        #expect(!hosts.isSteady("a:80"))
    }

    @Test("are prompt after a response without a delay, and after four in a row since the last delay")
    func prompt() {
        let hosts = AnsweredHosts()
        hosts.responded("a:80", after: 0.1)
        #expect(!hosts.isPrompt("a:80"))
        hosts.note("a:80")
        hosts.responded("a:80", after: 0.1)
        #expect(hosts.isPrompt("a:80") && !hosts.isPrompt("b:80"))
        hosts.responded("a:80", after: 1)
        for _ in 0..<3 { hosts.responded("a:80", after: 0.1) }
        #expect(!hosts.isPrompt("a:80"))
        hosts.responded("a:80", after: 0.1)
        #expect(hosts.isPrompt("a:80"))
        hosts.note("b:80")
        hosts.responded("b:80", after: 1)
        #expect(!hosts.isPrompt("b:80"))
    }

    @Test("report a pause once, and the status of the last one")
    func pauses() {
        let hosts = AnsweredHosts()
        #expect(hosts.statusOfPause(of: "a:80") == nil)
        #expect(hosts.notePause("a:80", status: 429, seconds: 3600, now: 0))
        // The other connections were refused at nearly the same time.
        #expect(!hosts.notePause("a:80", status: 429, seconds: 3600, now: 1))
        #expect(!hosts.notePause("a:80", status: 429, seconds: 3598, now: 2))
        #expect(hosts.notePause("b:80", status: 503, seconds: 5, now: 2))
        #expect(hosts.notePause("b:80", status: 503, seconds: 60, now: 3))
        #expect(hosts.notePause("a:80", status: 503, seconds: 3600, now: 3700))
        #expect(hosts.statusOfPause(of: "a:80") == 503)
        #expect(!hosts.notePause("c:80", status: 429, seconds: 60, tells: false, now: 0))
        #expect(hosts.notePause("c:80", status: 429, seconds: 60, now: 1))
    }

    @Test("are expected to send small files after four in a row")
    func shortBodies() {
        let hosts = AnsweredHosts()
        for _ in 0..<3 { hosts.note("a:80", isShort: true) }
        hosts.note("a:80")
        #expect(!hosts.sendsShortBodies("a:80"))
        hosts.note("a:80", isShort: true)
        #expect(hosts.sendsShortBodies("a:80") && !hosts.sendsShortBodies("b:80"))
        hosts.note("a:80", isShort: false)
        #expect(!hosts.sendsShortBodies("a:80") && hosts.contains("a:80"))
    }
}
