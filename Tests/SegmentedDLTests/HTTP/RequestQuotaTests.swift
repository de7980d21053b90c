import Testing

@testable import SegmentedDL

@Suite("Headers that state a host's request quota")
struct RequestQuotaTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let now: Int64 = 784_111_777

    private func named(_ fields: [String]) -> RequestQuota? {
        RequestQuota(ResponseHead(status: 200, fields: fields.compactMap(HTTPHeader.init)), now: Self.now)
    }

    private func quota(_ fields: [String]) -> RequestQuota? {
        var quota = named(fields)
        quota?.name = ""
        quota?.isRounded = false
        quota?.others = []
        return quota
    }

    @Test(
        "are parsed in all forms",
        arguments: [
            (["RateLimit: \"api\";r=7;t=55"], 7, 55),
            (["RateLimit: \"api\" ; r=0 ; t=3", "RateLimit-Policy: \"api\";q=500;w=300"], 0, 3),
            (["RateLimit: \"day\";r=9;t=9000, \"minute\";r=2;t=30"], 2, 30),
            // Both are used up: the longer time applies.
            (["RateLimit: \"day\";r=0;t=90", "RateLimit: \"minute\";r=0;t=30"], 0, 90),
            (["RateLimit: \"api\";r=4", "RateLimit-Policy: \"fixed window\";\"api\";q=500;w=300"], 4, 300),
            (["RateLimit: limit=100, remaining=50, reset=5"], 50, 5),
            (["RateLimit-Limit: 10", "RateLimit-Remaining: 3", "RateLimit-Reset: 20"], 3, 20),
            (["X-RateLimit-Remaining: 59", "X-RateLimit-Reset: 60"], 59, 60),
            (
                [
                    "X-RateLimit-Remaining: 1", "X-RateLimit-Reset: 1700000060",
                    "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                ], 1, 60
            ),
            (
                [
                    "X-Rate-Limit-Remaining: 1", "X-Rate-Limit-Reset: 1700000060500",
                    "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                ], 1, 60.5
            ),
            (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: Sun, 06 Nov 1994 08:50:37 GMT"], 0, 60),
            (
                [
                    "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1700000060",
                    "X-RateLimit-Reset-After: 1.5",
                ], 0, 1.5
            ),
            (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1994-11-06T08:50:37Z"], 0, 60),
            (["X-RateLimit-Remaining: 2", "X-RateLimit-Reset: 1994-11-06T09:50:37.25+01:00"], 2, 60),
            (["RateLimit-Limit: 100;w=60", "RateLimit-Remaining: 0;w=60"], 0, 60),
            (["RateLimit-Limit: 100;w=60", "RateLimit-Remaining: 7"], 7, 60),
            // An unreadable end of an exhausted quota is a few seconds away.
            (["X-RateLimit-Remaining: 0", "X-RateLimit-Reset: soon"], 0, 5),
            (["RateLimit: \"api\";r=0;t=soon"], 0, 5),
            // The time has elapsed.
            (
                [
                    "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1000000000",
                    "Date: Tue, 14 Nov 2023 22:13:20 GMT",
                ], 5, 0
            ),
        ] as [([String], Int, Double)])
    func forms(fields: [String], left: Int, seconds: Double) {
        #expect(quota(fields) == RequestQuota(left: left, resetSeconds: seconds))
    }

    @Test(
        "are ignored if they are invalid, or state no end",
        arguments: [
            [], ["RateLimit: "], ["RateLimit: \"api\";r=0"], ["RateLimit: \"api\";r=-1;t=5"],
            ["RateLimit: api"], ["RateLimit: \"a\";r=x;t=y"], ["X-RateLimit-Remaining: 0"],
            ["X-RateLimit-Reset: 60"], ["X-RateLimit-Remaining: many", "X-RateLimit-Reset: 60"],
            ["X-RateLimit-Remaining: 1", "X-RateLimit-Reset: soon"],
            ["RateLimit-Limit: 100;w=21600", "RateLimit-Remaining: 0;w=21600"],
            ["RateLimit-Policy: \"api\";q=8"], ["RateLimit-Policy: \"api\";q=8;w=86400"],
            ["RateLimit-Policy: \"api\";q=8;w=3", "RateLimit: \"api\""],
            ["RateLimit-Policy: \"api\";q=8;w=3", "X-RateLimit-Remaining: 5"],
            ["X-RateLimit-Remaining: 99999999999999999999999", "X-RateLimit-Reset: 60"],
        ])
    func garbled(fields: [String]) {
        #expect(quota(fields) == nil)
    }

    @Test("whole seconds may have been rounded down, but the length of a window has not")
    func rounded() {
        let date = "Date: Tue, 14 Nov 2023 22:13:20 GMT"
        for (fields, isRounded) in [
            (["RateLimit: \"api\";r=7;t=5"], true), (["RateLimit: \"api\";r=7;t=5.5"], false),
            (["RateLimit: \"api\";r=4", "RateLimit-Policy: \"api\";q=500;w=300"], false),
            (["RateLimit: limit=100, remaining=50, reset=5"], true),
            (["X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1700000060", date], true),
            (["X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 1600000000", date], false),
            (["X-RateLimit-Remaining: 5", "X-RateLimit-Reset-After: 1.5"], false),
            (["X-RateLimit-Remaining: 5", "X-RateLimit-Reset-After: 1"], true),
            (["RateLimit-Policy: \"api\";q=8;w=3"], false),
        ] {
            #expect(named(fields)?.isRounded == isRounded, "\(fields)")
        }
    }

    @Test("0 seconds are up to one of a host that counts requests, and nothing otherwise")
    func lastSecond() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 0, resetSeconds: 0, isRounded: true), now: 0)
        #expect(limit == HostLimit())
        limit.told(RequestQuota(left: 1, resetSeconds: 0, isRounded: true), whileUnanswered: 0, now: 0)
        limit.granted(now: 0.1)
        limit.told(RequestQuota(left: 0, resetSeconds: 0, isRounded: true), whileUnanswered: 0, now: 0.2)
        #expect(limit.allowance(upTo: 8, now: 0.9) == 0 && limit.pausedUntil == 1.2)
    }

    @Test(
        "name the quota",
        arguments: [
            (["RateLimit: \"api\";r=7;t=55", "RateLimit-Policy: \"x\";q=9;w=60"], "\"api\""),
            (["RateLimit: \"day\";r=9;t=90, \"minute\";r=2;t=30, \"day\";r=9;t=90"], "\"minute\""),
            (["RateLimit-Policy: \"api\";q=8;w=3"], "\"api\""), (["RateLimit-Policy: 8;w=3"], ""),
            (["RateLimit: limit=100, remaining=50, reset=5"], ""),
            (["X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 5", "X-RateLimit-Resource: core"], "core"),
        ])
    func names(fields: [String], name: String) {
        #expect(named(fields)?.name == name)
    }

    @Test(
        "keep all quotas of requests, the strictest first",
        arguments: [
            (
                ["RateLimit: \"day\";r=9;t=90, \"minute\";r=2;t=30, \"day\";r=9;t=90"],
                ["\"minute\" 2", "\"day\" 9"]
            ),
            (
                [
                    "RateLimit-Policy: \"a\";q=9;w=60, \"b\";q=5;w=2;qu=\"requests\"",
                    "RateLimit-Policy: \"c\";q=2;w=9;qu=\"concurrent-requests\", \"d\";q=1;w=9;qu=\"content-bytes\"",
                ], ["\"b\" 4", "\"a\" 8"]
            ),
            (["RateLimit-Policy: 9;w=60, 5;w=2"], ["w=2 4", "w=60 8"]),
            (
                [
                    "RateLimit-Policy: \"b\";q=9000;w=60;qu=\"content-bytes\", \"c\";q=2;qu=\"concurrent-requests\"",
                    "RateLimit: \"b\";r=3;t=9, \"c\";r=0;t=9, \"a\";r=7;t=9",
                ], ["\"a\" 7"]
            ),
            // No byte is left, so no request is answered.
            (
                [
                    "RateLimit-Policy: \"b\";q=9000;w=60;qu=\"content-bytes\"",
                    "RateLimit: \"a\";r=7;t=9, \"b\";r=0;t=9",
                ], ["\"b\" 0", "\"a\" 7"]
            ),
            (["RateLimit-Policy: \"b\";q=9;w=6;qu=\"content-bytes\""], []),
        ] as [([String], [String])])
    func several(fields: [String], quotas: [String]) {
        let found = named(fields).map { [$0] + $0.others } ?? []
        #expect(found.map { "\($0.name) \($0.left)" } == quotas)
    }

    @Test("keep only the strictest of many quotas")
    func many() {
        let quotas = (0..<1000).reversed().map { "\"q\($0)\";r=\($0);t=60" }.joined(separator: ",")
        let found = named(["RateLimit: \(quotas)"]).map { [$0] + $0.others } ?? []
        #expect(found.map(\.left) == Array(0..<8))
    }

    @Test("a policy alone is counted here, and starts no pause")
    func policy() {
        let policy = ["RateLimit-Policy: \"day\";q=9000;w=86400, \"api\";q=8;w=3"]
        #expect(quota(policy) == RequestQuota(left: 7, resetSeconds: 3, isPolicy: true))
        let single = quota(["RateLimit-Policy: 1;w=3"])
        #expect(single == RequestQuota(left: 0, resetSeconds: 3, isOfOne: true, isPolicy: true))
        #expect(single?.isExhausted == false)
    }

    @Test(
        "a window of one request is known by its size",
        arguments: [
            ["RateLimit: \"api\";r=0;t=2", "RateLimit-Policy: \"api\";q=1;w=2"],
            ["X-RateLimit-Limit: 1", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2"],
        ])
    func single(fields: [String]) {
        #expect(quota(fields) == RequestQuota(left: 0, resetSeconds: 2, isOfOne: true))
    }

    @Test("a refusal without Retry-After waits for the end of an exhausted quota")
    func refusal() {
        func wait(_ fields: [String]) -> Double? {
            RetryAfter.seconds(
                in: ResponseHead(status: 429, fields: fields.compactMap(HTTPHeader.init)), now: Self.now)
        }
        #expect(wait(["RateLimit: \"api\";r=0;t=55"]) == 55)
        #expect(wait(["RateLimit: \"api\";r=1;t=55"]) == nil)
        #expect(wait(["RateLimit: \"api\";r=0;t=55", "Retry-After: 7"]) == 7)
        #expect(wait(["RateLimit: \"api\";r=0;t=0"]) == 1)
    }

    @Test("a host gets as many requests as stated, and then none until the next window")
    func obeyed() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 3, resetSeconds: 10), now: 0)
        for _ in 0..<2 { limit.granted(now: 1) }
        #expect(limit.allowance(upTo: 8, now: 1) == 8)
        limit.granted(now: 1)
        #expect(limit.allowance(upTo: 8, now: 1) == 0 && limit.nextChange(now: 1) == 10)
        // A response that was in flight does not count the later requests.
        limit.told(RequestQuota(left: 2, resetSeconds: 8.5), now: 1.5)
        #expect(limit.allowance(upTo: 8, now: 2) == 0)
        // If the host's window slides, it still contains this request for ten seconds.
        #expect(limit.allowance(upTo: 8, now: 11) == 0)
        #expect(limit.allowance(upTo: 8, now: 11.5) == 8)
        limit.told(RequestQuota(left: 2, resetSeconds: 10), now: 12)
        #expect(limit.allowance(upTo: 8, now: 12) == 8)
    }

    @Test("a further request over an open connection counts, and none is granted without quota")
    func counted() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 2, resetSeconds: 10), now: 0)
        limit.granted(now: 1)
        var granted = [limit.grantedAgain(now: 1)]
        #expect(limit.allowance(upTo: 8, now: 1) == 0 && limit.nextChange(now: 1) == 10)
        granted += [limit.grantedAgain(now: 9)]
        granted += [limit.grantedAgain(now: 10)]
        #expect(granted == [true, false, true])
    }

    @Test("an exhausted quota is reported once for each window, and only while requests wait for it")
    func reported() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        scheduler.request(10, file: 1)
        func told(_ seconds: Double, of id: Int = 10, now: Double) {
            _ = scheduler.state.told(RequestQuota(left: 0, resetSeconds: seconds), of: id, now: now)
        }
        func delay(of host: String = "a", isAsked: Bool = true, now: Double) -> Double? {
            scheduler.state.quotaDelay(of: host, isAsked: isAsked, now: now)
        }
        told(30, now: 0)
        #expect(delay(isAsked: false, now: 0) == nil)
        scheduler.request(11, file: 1)
        #expect(delay(of: "b", now: 1) == nil)
        #expect(delay(isAsked: false, now: 1) == 29)
        told(29, now: 2)
        #expect(delay(now: 2) == nil)
        let mayAsk = scheduler.state.asksAgain(10, now: 2)
        #expect(!mayAsk)
        #expect(scheduler.tick(at: 31) == [.grant(11)])
        told(30, of: 11, now: 40)
        #expect(delay(now: 41) == 29)
    }

    @Test("all downloads share the quota; a distant or past end changes nothing")
    func others() {
        var limit = HostLimit()
        limit.told(RequestQuota(left: 50, resetSeconds: 10), now: 0)
        limit.told(RequestQuota(left: 0, resetSeconds: 10), now: 0.1)
        #expect(limit.allowance(upTo: 8, now: 1) == 0)
        for seconds in [0, 301] {
            var other = HostLimit()
            other.told(RequestQuota(left: 0, resetSeconds: Double(seconds)), now: 0)
            #expect(other == HostLimit())
        }
    }
}
