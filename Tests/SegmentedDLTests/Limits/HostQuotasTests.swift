import Testing

@testable import SegmentedDL

@Suite("The named quotas of one host")
struct HostQuotasTests {
    private func quota(_ left: Int, _ name: String, seconds: Double = 10) -> RequestQuota {
        RequestQuota(left: left, resetSeconds: seconds, name: name)
    }

    @Test("delay only the requests to which they apply")
    func apart() {
        var limit = HostLimit()
        limit.told(quota(0, "api"), "api/models", now: 0)
        limit.told(quota(2900, "resolvers"), now: 0)
        limit.told(quota(2899, "resolvers"), "api/resolve-cache", now: 0)
        let allowed = ["api/models", "", "api/resolve-cache"].map {
            limit.allowance(of: $0, upTo: 8, now: 1)
        }
        #expect(allowed == [0, 8, 8])
        #expect(limit.pausedUntil(of: "api/models") == 10 && limit.pausedUntil == 0)
        #expect(limit.nextChange(of: "api/models", now: 1) == 10)
        // Another quota may apply to a group later.
        limit.told(quota(2898, "resolvers"), "api/models", now: 1)
        #expect(limit.allowance(of: "api/models", upTo: 8, now: 1) == 8)
    }

    @Test("apply together if a response states several")
    func several() {
        var limit = HostLimit()
        func told(minute: Int, hour: Int, now: Double) {
            var said = quota(minute, "minute", seconds: 60 - now)
            said.others = [quota(hour, "hour", seconds: 250 - now)]
            limit.told(said, whileUnanswered: 0, now: now)
        }
        told(minute: 2, hour: 3, now: 0)
        for _ in 0..<2 { limit.granted(now: 1) }
        #expect(limit.allowance(upTo: 8, now: 1) == 0 && limit.nextChange(now: 1) == 60)
        told(minute: 0, hour: 1, now: 2)
        limit.granted(now: 63)
        #expect(limit.allowance(upTo: 8, now: 63) == 0 && limit.nextChange(now: 63) == 250)
    }

    @Test("apply even if a stricter one ends too late to be observed")
    func late() {
        var limit = HostLimit()
        var said = quota(1, "day", seconds: 9000)
        said.others = [quota(2, "minute", seconds: 30)]
        limit.told(said, whileUnanswered: 0, now: 0)
        for _ in 0..<2 { limit.granted(now: 1) }
        #expect(limit.allowance(upTo: 8, now: 1) == 0 && limit.pausedUntil == 30)
    }

    @Test("that have no name apply to all requests")
    func unnamed() {
        var limit = HostLimit()
        limit.told(quota(0, ""), "api/models", now: 0)
        #expect(limit.allowance(upTo: 8, now: 1) == 0)
        #expect(limit.allowance(of: "api/resolve-cache", upTo: 8, now: 1) == 0)
    }

    @Test("apply to further groups together if a host has very many, as with a path for each file")
    func many() {
        var limit = HostLimit()
        for file in 1...100 {
            limit.granted("api/\(file)", now: 0)
            limit.told(quota(100 - file, "api"), "api/\(file)", whileUnanswered: 0, now: 0)
        }
        #expect(limit.allowance(of: "api/101", upTo: 8, now: 1) == 0)
        #expect(limit.allowance(upTo: 8, now: 1) == 8)
    }

    @Test("that apply to no group any longer are forgotten if a host uses very many names")
    func manyNames() {
        var limit = HostLimit()
        for number in 0..<100 { limit.told(quota(number, "\(number)"), now: 0) }
        #expect(limit.left(now: 1) ?? 0 > 80)
        #expect(limit.quotas.accounts(of: "").map { $0.left(now: 1) } == [99])
    }

    @Test("are not known for a group before its first response, which is awaited")
    func unknown() {
        func allowed(_ response: (inout HostLimit) -> Void) -> [Int] {
            var limit = HostLimit()
            limit.told(quota(0, "api"), "api/models", now: 0)
            var allowed = [limit.allowance(upTo: 8, now: 1)]
            limit.granted(now: 1)
            allowed.append(limit.allowance(upTo: 8, now: 1))
            response(&limit)
            allowed.append(limit.allowance(upTo: 8, now: 1))
            limit.granted(now: 1)
            allowed.append(limit.allowance(upTo: 8, now: 1))
            return allowed
        }
        #expect(allowed { $0.told(quota(5, "resolvers"), now: 1) } == [8, 0, 8, 8])
        #expect(allowed { $0.told(quota(0, "api"), now: 1) } == [8, 0, 0, 0])
        #expect(allowed { $0.toldNothing("") } == [8, 0, 8, 8])
        #expect(allowed { $0.endsUnanswered(now: 1) } == [8, 0, 8, 0])
        #expect(allowed { $0.uncounted() } == [8, 0, 8, 0])
    }

    @Test("with an unknown name delay others for a limited time, because a response may never arrive")
    func silent() {
        var limit = HostLimit()
        limit.told(quota(0, "api", seconds: 60), "api/models", now: 0)
        let end = 1 + QuotaAccount.assumedSeconds
        limit.granted(now: 1)
        #expect(limit.allowance(upTo: 8, now: 1) == 0 && limit.nextChange(now: 1) == end)
        let mayAsk = limit.grantedAgain(now: 1)
        #expect(!mayAsk && limit.requestedPauseUntil == 0)
        for _ in 1...2 {
            #expect(limit.allowance(upTo: 8, now: end) == 8)
            limit.granted(now: end)
        }
    }

    @Test("count the connections of their own requests")
    func connections() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        _ = scheduler.state.request(9, file: 1, host: "a", group: "api/models", now: 0)
        for connection in 10..<13 { scheduler.request(connection, file: 1) }
        _ = scheduler.state.told(quota(4, "api"), of: 9, now: 0)
        _ = scheduler.state.told(quota(7, "resolvers"), of: 10, now: 0)
        func left(_ group: String) -> Int? {
            scheduler.state.hosts["a"]?.quotas.accounts(of: group).first?.left(now: 0)
        }
        #expect(left("api/models") == 4 && left("") == 5)
        // A request over an open connection may belong to another group.
        let mayAsk = scheduler.state.asksAgain(10, group: "api/models", now: 0)
        #expect(mayAsk && left("api/models") == 3)
    }

    @Test(
        "apply to groups of paths",
        arguments: [
            ("https://hub.example/api/models/a/b?x=/y", "api/models"),
            ("https://hub.example/api/v4", "api/v4"),
            ("https://hub.example/api/resolve-cache/models/a", "api/resolve-cache"),
            ("https://hub.example/a/b/resolve/main/c", ""), ("https://hub.example/api", ""),
            ("https://api.example/", ""), ("https://hub.example/apis/x", ""),
        ])
    func groups(url: String, group: String) throws {
        #expect(try Source(url).quotaGroup == group)
    }
}
