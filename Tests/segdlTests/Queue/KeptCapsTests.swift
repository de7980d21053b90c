import SegmentedDL
import Testing

@testable import segdl

@Suite("Caps changed while a queue ran")
struct KeptCapsTests {
    private static func limits(
        _ files: FileCount, _ connections: Int, _ perHost: Int, _ rate: Int64?
    ) -> Limits {
        var limits = Limits()
        limits.activeFiles = files
        limits.connections = connections
        limits.connectionsPerHost = perHost
        limits.rate = rate
        return limits
    }

    @Test(
        "apply to a start with the original values, each for itself",
        arguments: [
            (limits(.automatic, 16, 8, nil), limits(.fixed(2), 4, 3, 1000)),
            (limits(.automatic, 20, 8, nil), limits(.fixed(2), 20, 3, 1000)),
            (limits(.fixed(9), 16, 9, nil), limits(.fixed(9), 4, 9, 1000)),
            (limits(.automatic, 16, 8, 5), limits(.fixed(2), 4, 3, 5)),
            (limits(.fixed(1), 1, 1, 1), limits(.fixed(1), 1, 1, 1)),
        ])
    func next(start: Limits, expected: Limits) {
        var kept = KeptCaps(of: Self.limits(.automatic, 16, 8, nil))
        kept.changed = QueueCommand.LimitChange(Self.limits(.fixed(2), 4, 3, 1000))
        #expect(kept.caps(for: start) == expected)
    }

    @Test("may have been removed")
    func lifted() {
        var kept = KeptCaps(of: Self.limits(.fixed(3), 16, 8, 1000))
        kept.changed = QueueCommand.LimitChange(Self.limits(.automatic, 16, 8, nil))
        #expect(
            kept.caps(for: Self.limits(.fixed(3), 16, 8, 1000)) == Self.limits(.automatic, 16, 8, nil))
    }

    @Test("do not affect other settings of a start")
    func order() {
        var start = Limits()
        start.queueOrder = .lifo
        #expect(KeptCaps(of: Limits()).caps(for: start) == start)
    }
}
