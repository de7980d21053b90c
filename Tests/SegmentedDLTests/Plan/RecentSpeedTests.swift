import Testing

@testable import SegmentedDL

@Suite("The recent speed of a connection")
struct RecentSpeedTests {
    /// Records ten samples per second at `before` bytes per second, then at `after`.
    private func speed(_ before: Int64, seconds: Int, then after: Int64, for later: Int) -> Double? {
        var speed = RecentSpeed(since: 0, at: 0)
        var position: Int64 = 0
        for step in 1...((seconds + later) * 10) {
            position += (step <= seconds * 10 ? before : after) / 10
            speed.note(position, at: Double(step) / 10)
        }
        return speed.bytesPerSecond(at: Double(seconds + later))
    }

    @Test("equals a steady one")
    func steady() throws {
        let found = try #require(speed(1000, seconds: 10, then: 1000, for: 1))
        #expect(abs(found - 1000) < 1)
    }

    @Test("forgets earlier bytes within two seconds")
    func forgets() throws {
        let found = try #require(speed(1_000_000, seconds: 100, then: 100, for: 3))
        #expect(found < 200)
    }

    @Test("is unknown in the first moment")
    func tooEarly() {
        var speed = RecentSpeed(since: 5, at: 100)
        speed.note(100_000, at: 5.01)
        #expect(speed.bytesPerSecond(at: 5.01) == nil)
        #expect(speed.bytesPerSecond(at: 5.1) != nil)
    }

    @Test("of bytes in bursts, one a second, is correct within a factor of two")
    func bursts() throws {
        var speed = RecentSpeed(since: 0, at: 0)
        for step in 1...200 {
            let now = Double(step) / 20
            speed.note(Int64(now.rounded(.down)) * 1000, at: now)
            guard now >= 2 else { continue }
            let found = try #require(speed.bytesPerSecond(at: now))
            #expect(found >= 500 && found <= 2000, "at \(now)")
        }
    }

    @Test("decreases for all at the same time when the link gets slower")
    func together() throws {
        var speeds = [0.0, 0.3, 0.45, 0.9].map { RecentSpeed(since: $0, at: 0) }
        var position: Int64 = 0
        for step in 20...140 {
            let now = Double(step) / 20
            position += now < 5 ? 100_000 : 1000
            for index in speeds.indices { speeds[index].note(position, at: now) }
            guard now > 3 else { continue }
            let found = speeds.compactMap { $0.bytesPerSecond(at: now) }
            let least = try #require(found.min())
            let most = try #require(found.max())
            #expect(most <= least * 1.01, "at \(now)")
        }
    }
}
