import Testing

@testable import SegmentedDLSupport

@Suite("A value that is fetched once for all callers", .timeLimit(.minutes(5)))
struct CachedValueTests {
    @Test("is fetched once, also for callers that come later")
    func once() async throws {
        let value = CachedValue<Int>()
        let count = Lock(0)
        for _ in 1...3 {
            let found = try await value.value(if: { _ in true }) {
                count.withLock {
                    $0 += 1; return $0
                }
            }
            #expect(found == 1)
        }
        #expect(try await value.value(if: { $0 > 1 }) { 7 } == 7)
        #expect(value.last == 7)
    }

    @Test(
        "a cancelled caller does not wait for the fetch, which ends with the last one, unless it outlives them",
        arguments: [false, true])
    func cancelled(outlives: Bool) async throws {
        let value = CachedValue<Int>(outlivesCallers: outlives)
        let (begun, gate, ended) = (AsyncEvent(), AsyncEvent(), AsyncEvent())
        let caller = Task {
            try await value.value(if: { _ in true }) {
                begun.send()
                let isOpened = await gate.wait()
                ended.send()
                guard isOpened else { throw CancellationError() }
                return 1
            }
        }
        await begun.wait()
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        if outlives {
            gate.send()
            #expect(try await value.value(if: { _ in true }) { 2 } == 1)
        } else {
            await ended.wait()
            #expect(try await value.value(if: { _ in true }) { 2 } == 2)
        }
    }

    @Test("a failure reaches all callers, and the next one fetches again")
    func failure() async throws {
        struct Failure: Error {}
        let value = CachedValue<Int>()
        await #expect(throws: Failure.self) { try await value.value(if: { _ in true }) { throw Failure() } }
        #expect(try await value.value(if: { _ in true }) { 3 } == 3)
    }
}
