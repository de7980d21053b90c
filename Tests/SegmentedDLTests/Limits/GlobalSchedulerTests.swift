import SegmentedDLSupport
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The scheduler and its waiting tasks", .timeLimit(.minutes(10)))
struct GlobalSchedulerTests {
    private func scheduler(files: Int = 1, connections: Int = 1) -> GlobalScheduler {
        var limits = Limits()
        limits.activeFiles = .fixed(files)
        limits.connections = connections
        limits.connectionsPerHost = connections
        return GlobalScheduler(limits: limits)
    }

    @Test("a file that may begin does so at once")
    func begins() async throws {
        let slot = scheduler().submit(priority: 0)
        try await slot.waitForStart()
        let permit = try await slot.connect(to: "a")
        #expect(permit.host == "a")
        permit.release()
        slot.release()
    }

    @Test("a waiting file begins when the previous one has ended")
    func waits() async throws {
        let scheduler = scheduler()
        let first = scheduler.submit(priority: 0)
        let second = scheduler.submit(priority: 0)
        try await first.waitForStart()
        let task = Task { try await second.waitForStart() }
        first.release()
        try await task.value
        second.release()
    }

    @Test("a released slot leaves the queue")
    func dropped() async throws {
        let scheduler = scheduler()
        _ = scheduler.submit(priority: 0)
        let second = scheduler.submit(priority: 0)
        try await second.waitForStart()
        second.release()
    }

    @Test("a second release of a slot starts no other file")
    func releasedTwice() async throws {
        let scheduler = scheduler()
        let slots = (0..<3).map { _ in scheduler.submit(priority: 0) }
        slots[0].release()
        slots[0].release()
        try await slots[1].waitForStart()
        let task = Task { try await slots[2].waitForStart() }
        // If still waiting, it throws when cancelled; if the second release had started it, it would not.
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        slots[1].release()
        slots[2].release()
    }

    @Test("a cancelled file throws, and its slot goes to the next one")
    func cancelledFile() async throws {
        let scheduler = scheduler()
        let first = scheduler.submit(priority: 0)
        let second = scheduler.submit(priority: 0)
        let third = scheduler.submit(priority: 0)
        try await first.waitForStart()
        let waiting = Task { try await second.waitForStart() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        second.release()
        first.release()
        try await third.waitForStart()
        third.release()
    }

    @Test("a waiting connection is granted when another one is released")
    func connections() async throws {
        let slot = scheduler().submit(priority: 0)
        try await slot.waitForStart()
        let permit = try await slot.connect(to: "a")
        let task = Task { try await slot.connect(to: "a") }
        permit.release()
        let next = try await task.value
        permit.release()
        next.release()
        slot.release()
    }

    @Test("a cancelled waiter frees its slot")
    func cancelledConnection() async throws {
        let slot = scheduler().submit(priority: 0)
        try await slot.waitForStart()
        let permit = try await slot.connect(to: "a")
        let cancelled = Task { try await slot.connect(to: "a") }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        permit.release()
        // If the place were still occupied, this would wait forever.
        let next = try await slot.connect(to: "a")
        next.release()
        slot.release()
    }

    @Test("the transfer of a released permit is abandoned before the next connection is granted")
    func abandonedFirst() async throws {
        let slot = scheduler().submit(priority: 0)
        try await slot.waitForStart()
        let permit = try await slot.connect(to: "a")
        let abandonments = Lock(0)
        permit.carries { abandonments.withLock { $0 += 1 } }
        let waiting = Task {
            let next = try await slot.connect(to: "a")
            next.release()
            return abandonments.withLock { $0 }
        }
        permit.release()
        #expect(try await waiting.value == 1)
        permit.release()
        #expect(abandonments.withLock { $0 } == 1)
        slot.release()
    }

    @Test("a permit that is released twice is returned once")
    func permitTwice() async throws {
        let slot = scheduler(connections: 2).submit(priority: 0)
        try await slot.waitForStart()
        let one = try await slot.connect(to: "a")
        let other = try await slot.connect(to: "a")
        one.release()
        one.release()
        let third = try await slot.connect(to: "a")
        let fourth = Task { try await slot.connect(to: "a") }
        fourth.cancel()
        await #expect(throws: CancellationError.self) { try await fourth.value }
        other.release()
        third.release()
        slot.release()
    }

    @Test("larger caps wake waiting tasks")
    func limits() async throws {
        let scheduler = scheduler()
        let first = scheduler.submit(priority: 0)
        let second = scheduler.submit(priority: 0)
        try await first.waitForStart()
        let task = Task { try await second.waitForStart() }
        var limits = Limits()
        limits.activeFiles = 2
        scheduler.set(limits)
        try await task.value
        first.release()
        second.release()
    }

    @Test("a file that holds several is notified when another one has none")
    func reclaim() async throws {
        let scheduler = scheduler(files: 2, connections: 2)
        let rich = scheduler.submit(priority: 0)
        try await rich.waitForStart()
        let one = try await rich.connect(to: "a")
        let other = try await rich.connect(to: "a")
        // Called while the second file requests a connection: no other file gives one back.
        rich.onReclaim { one.release() }
        let poor = scheduler.submit(priority: 0)
        try await poor.waitForStart()
        let permit = try await poor.connect(to: "a")
        #expect(permit.host == "a")
        permit.release()
        other.release()
        poor.release()
        rich.release()
    }

    @Test("many tasks, some of them cancelled, all end, within the caps")
    func many() async throws {
        let scheduler = scheduler(files: 3, connections: 4)
        let running = Counter()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<300 {
                let slot = scheduler.submit(priority: index % 3)
                group.addTask {
                    let work = Task {
                        defer { slot.release() }
                        try await slot.waitForStart()
                        for host in ["a", "b"] {
                            let permit = try await slot.connect(to: host)
                            #expect(running.enter() <= 4)
                            await Task.yield()
                            running.leave()
                            permit.release()
                        }
                    }
                    if index % 5 == 0 { work.cancel() }
                    _ = await work.result
                }
            }
        }
        #expect(running.value == 0)
        let slot = scheduler.submit(priority: 0)
        try await slot.waitForStart()
        let permits = [
            try await slot.connect(to: "a"), try await slot.connect(to: "a"), try await slot.connect(to: "a"),
            try await slot.connect(to: "a"),
        ]
        #expect(permits.count == 4)
        permits.forEach { $0.release() }
        slot.release()
    }
}
