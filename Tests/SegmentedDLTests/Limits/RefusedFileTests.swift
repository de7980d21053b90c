import Testing

@testable import SegmentedDL

@Suite("A file that its host always refuses, in virtual time")
struct RefusedFileTests {
    private typealias Host = RefusedFileSimulation.Host

    private func run(_ files: Int, _ host: Host, size: Double, seed: UInt64 = 1)
        -> RefusedFileSimulation.Outcome
    {
        var simulation = RefusedFileSimulation(files: files, from: host, size: size, seed: seed)
        return simulation.run()
    }

    @Test("fails after its own retries, and the others are as fast as without it", arguments: 1...5)
    func others(bad: Int) {
        for size in [0.02, 0.3, 2] {
            for seed in 1...10 as ClosedRange<UInt64> {
                let plain = run(60, Host(), size: size, seed: seed)
                let refused = Set((1...bad).map { $0 * 7 })
                let outcome = run(60, Host(refused: refused), size: size, seed: seed)
                #expect(outcome.failed == refused, "size \(size), seed \(seed)")
                #expect(
                    outcome.seconds < plain.seconds * 1.15 + 4,
                    "size \(size), seed \(seed): \(outcome.seconds) s, not \(plain.seconds)")
                #expect(size < 1 || outcome.peak == 8, "seed \(seed)")
                // Refusals in quick succession count once.
                for file in refused { #expect((8...10).contains(outcome.requests[file] ?? 0)) }
            }
        }
    }

    @Test("a host's connection limit is used fully, with and without such a file")
    func connections() {
        for (most, bad) in [(1, []), (1, [2]), (3, []), (3, [2, 5]), (6, [1])] as [(Int, Set<Int>)] {
            for seed in 1...10 as ClosedRange<UInt64> {
                let outcome = run(40, Host(most: most, refused: bad), size: 1, seed: seed)
                #expect(outcome.failed == bad, "\(most) at a time, seed \(seed)")
                let best = Double(40 - bad.count) / Double(most) * 1.05
                #expect(outcome.seconds < best * 1.5 + 10, "\(most), seed \(seed): \(outcome.seconds) s")
            }
        }
    }

    @Test("a host's request rate limit is respected, with and without such a file")
    func rate() {
        for (rate, bad) in [(20.0, []), (20, [3]), (5, []), (5, [3, 4])] as [(Double, Set<Int>)] {
            for seed in 1...10 as ClosedRange<UInt64> {
                let host = Host(rate: (rate, 3), refused: bad)
                let outcome = run(200, host, size: 0.01, seed: seed)
                #expect(outcome.failed == bad, "rate \(rate), seed \(seed)")
                #expect(
                    outcome.seconds < 200 / rate * 1.6 + 10, "rate \(rate), seed \(seed): \(outcome.seconds)")
            }
        }
    }

    @Test("is not requested again before the delay that the host states", arguments: [1, 3, 20])
    func stated(retryAfter: Double) {
        for size in [0.02, 0.3, 2] {
            for seed in 1...10 as ClosedRange<UInt64> {
                let host = Host(refused: [3, 9], retryAfter: retryAfter)
                let outcome = run(60, host, size: size, seed: seed)
                #expect(outcome.failed == [3, 9], "size \(size), seed \(seed)")
                // A sum of seconds may be slightly less than its parts.
                #expect(outcome.shortestWait >= retryAfter - 1e-6, "size \(size), seed \(seed)")
            }
        }
    }

    @Test("a host that refuses all is waited for with growing delays, and no file is singled out")
    func all() {
        let outcome = run(4, Host(refused: [1, 2, 3, 4]), size: 1)
        #expect(outcome.failed == [1, 2, 3, 4])
        #expect(outcome.requests.values.allSatisfy { (8...10).contains($0) })
    }
}

@Suite("The effect of a refused file on others")
struct SchedulerRefusedFileTests {
    @Test("one file's first refusal delays another one's second connection only briefly")
    func second() {
        let scheduler = SchedulerDriver()
        for file in 1...2 { scheduler.submit(file) }
        scheduler.request(10, file: 1)
        scheduler.request(20, file: 2)
        scheduler.refused(20)
        scheduler.release(20)
        scheduler.request(11, file: 1)
        #expect(scheduler.request(21, file: 2) == [])
        #expect(scheduler.tick(at: 0.9) == [])
        #expect(scheduler.nextChange == 1)
        #expect(scheduler.tick(at: 1) == [.grant(11)])
        // The host serves it, so there is no limit, and the other one may try again, too.
        #expect(scheduler.state.served(11, now: 1.1) == [.grant(21)])
    }

    @Test("another file that is served beyond the limit does not end the refused one's wait")
    func servedMeanwhile() {
        let scheduler = SchedulerDriver()
        for file in 1...3 { scheduler.submit(file) }
        for (connection, file) in [(10, 1), (30, 3), (20, 2)] { scheduler.request(connection, file: file) }
        scheduler.refused(20, retryAfter: 1)
        for connection in [20, 30] { scheduler.release(connection) }
        for (connection, file) in [(11, 1), (21, 2)] { scheduler.request(connection, file: file) }
        #expect(scheduler.tick(at: 1) == [.grant(21), .grant(11)])
        scheduler.refused(21, retryAfter: 1)
        scheduler.release(21)
        #expect(scheduler.request(22, file: 2) == [])
        #expect(scheduler.state.served(11, now: 1) == [])
        #expect(scheduler.state.pausedUntil("a") == 0)
        #expect(scheduler.request(31, file: 3) == [.grant(31)])
        #expect(scheduler.nextChange == 2)
        #expect(scheduler.tick(at: 2) == [.grant(22)])
    }

    @Test(
        "a host that refuses a second connection to a file that it serves is limited, whatever the other is")
    func limited() {
        let scheduler = SchedulerDriver()
        for file in 1...2 { scheduler.submit(file) }
        scheduler.request(10, file: 1)
        scheduler.request(20, file: 2)
        scheduler.refused(20)
        scheduler.release(20)
        scheduler.request(11, file: 1)
        #expect(scheduler.tick(at: 1) == [.grant(11)])
        scheduler.refused(11)
        scheduler.release(11)
        scheduler.request(12, file: 1)
        #expect(scheduler.tick(at: 19) == [])
        #expect(scheduler.nextChange == 21)
    }

    @Test("a host that refuses the only request of each file delays the next file by a second at most")
    func once() {
        let scheduler = SchedulerDriver()
        for file in 1...30 {
            let started = scheduler.now
            scheduler.submit(file)
            if scheduler.request(file, file: file) != [.grant(file)] {
                while scheduler.state.waiting.contains(file), let change = scheduler.nextChange,
                    change < started + 60
                {
                    scheduler.tick(at: change + 1e-9)
                }
            }
            #expect(scheduler.now < started + 1.001, "file \(file)")
            scheduler.refused(file)
            scheduler.release(file)
            scheduler.withdraw(file)
        }
        #expect(scheduler.now < 15)
    }

    @Test("knowledge about a file applies to its next request")
    func subject() {
        let scheduler = SchedulerDriver()
        scheduler.submit(1)
        for (file, connection) in [(2, 20), (3, 30), (4, 40)] {
            scheduler.submit(file)
            _ = scheduler.state.request(
                connection, file: file, subject: 77, host: "a", now: scheduler.now)
            scheduler.request(connection + 1, file: 1)
            _ = scheduler.state.served(connection + 1, now: scheduler.now)
            scheduler.refused(connection)
            #expect(scheduler.state.isOfFile(connection) == (file == 4))
            scheduler.release(connection)
            scheduler.withdraw(file)
            scheduler.tick(at: scheduler.now + 2)
        }
        #expect(scheduler.state.hosts["a"]?.cap == nil)
    }
}
