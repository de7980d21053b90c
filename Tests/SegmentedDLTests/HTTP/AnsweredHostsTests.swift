import Testing

@testable import SegmentedDL

@Suite("Hosts that have answered")
struct AnsweredHostsTests {
    @Test("are known, each for itself")
    func known() {
        let hosts = AnsweredHosts()
        hosts.note("a:80")
        #expect(hosts.contains("a:80") && !hosts.contains("b:80"))
        #expect(!hosts.sendsShortBodies("a:80"))
    }

    @Test("to which no connection could be made are resolved anew, until they answer")
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
