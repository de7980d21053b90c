import SegmentedDLSupport
import Testing

@testable import SegmentedDLQueue

/// The turns of closures about files in batches.
@Suite("Turns of closures", .timeLimit(.minutes(1)))
struct ClosureTurnsTests {
    /// Adds a closure that has its turn at once.
    private func begin(in turns: inout ClosureTurns) {
        let turn = turns.add(most: 1)
        #expect(turn === nil)
    }

    /// Adds a closure that must wait.
    private func wait(in turns: inout ClosureTurns, most: Int = 1) throws -> AsyncEvent {
        let turn = turns.add(most: most)
        return try #require(turn)
    }

    @Test("are given in order, and not to a new closure while others wait")
    func order() async throws {
        var turns = ClosureTurns()
        begin(in: &turns)
        let first = try wait(in: &turns)
        // The cap has been raised, but the first one comes before it.
        let second = try wait(in: &turns, most: 2)
        turns.end()
        turns.grant(most: 1)
        #expect(await first.wait() && turns.running == 1)
        let third = try wait(in: &turns)
        turns.end()
        turns.grant(most: 1)
        #expect(await second.wait() && turns.running == 1)
        turns.end()
        turns.grant(most: 1)
        #expect(await third.wait() && turns.running == 1)
        turns.end()
        begin(in: &turns)
    }

    @Test("are given to as many as a raised cap allows, and to none above a lowered one")
    func caps() async throws {
        var turns = ClosureTurns()
        begin(in: &turns)
        let waiting = try (0..<4).map { _ in try wait(in: &turns) }
        turns.grant(most: 3)
        #expect(turns.running == 3)
        for turn in waiting[..<2] { #expect(await turn.wait()) }
        turns.end()
        turns.grant(most: 2)
        #expect(turns.running == 2)
        turns.grant(most: 10)
        #expect(turns.running == 4)
        for turn in waiting[2...] { #expect(await turn.wait()) }
    }

    @Test("a cancelled closure that waits gives up its position, and one that has its turn keeps it")
    func abandoned() async throws {
        var turns = ClosureTurns()
        begin(in: &turns)
        let waiting = try (0..<3).map { _ in try wait(in: &turns) }
        let isAbandoned = turns.abandon(waiting[0])
        #expect(isAbandoned)
        turns.end()
        turns.grant(most: 1)
        #expect(await waiting[1].wait())
        let hasTurn = !turns.abandon(waiting[1])
        #expect(hasTurn && turns.running == 1)
        turns.end()
        turns.grant(most: 1)
        #expect(await waiting[2].wait())
    }
}
