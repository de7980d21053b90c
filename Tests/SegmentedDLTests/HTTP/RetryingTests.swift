import Testing

@testable import SegmentedDL

@Suite("Retrying")
struct RetryingTests {
    private func policy(retries: Int) -> RetryPolicy {
        var policy = RetryPolicy()
        policy.retries = retries
        policy.delay = .milliseconds(1)
        policy.longestDelay = .milliseconds(2)
        return policy
    }

    @Test("delays double from the first one up to the maximum, and jitter halves them at most")
    func delay() {
        var policy = RetryPolicy()
        policy.delay = .seconds(2)
        policy.longestDelay = .seconds(30)
        #expect((0...6).map { policy.delay(failures: $0) } == [2, 2, 4, 8, 16, 30, 30])
        #expect(policy.delay(failures: 1_000_000) == 30)
        #expect(policy.delay(failures: 2, jitter: 0) == 2)
        #expect(policy.delay(failures: 2, jitter: 0.5) == 3)
        #expect(policy.delay(failures: 3, from: 1) == 4)
    }

    @Test("ends with the first success")
    func succeeds() async throws {
        var tries = 0
        let value = try await policy(retries: 5).retrying(hasAnswered: false) {
            tries += 1
            if tries < 3 { throw TransferFailure.shortBody }
            return tries
        }
        #expect(value == 3)
    }

    @Test("ends with the first failure beyond the budget, which progress restores")
    func budget() async {
        var tries = 0
        await #expect(throws: TransferFailure.self) {
            try await policy(retries: 2).retrying(
                hasAnswered: false, written: { tries < 3 ? Int64(tries) : 3 }
            ) {
                tries += 1
                throw TransferFailure.failing(status: 500)
            }
        }
        #expect(tries == 5)
    }

    @Test("ends at once if a retry is useless or impossible")
    func ends() async {
        var tries = 0
        await #expect(throws: TransferFailure.self) {
            try await policy(retries: 5).retrying(hasAnswered: false) {
                tries += 1
                throw TransferFailure.refused(status: 404)
            }
        }
        await #expect(throws: TransferFailure.self) {
            try await policy(retries: 5).retrying(hasAnswered: false, while: { false }) {
                tries += 1
                throw TransferFailure.shortBody
            }
        }
        await #expect(throws: CancellationError.self) {
            try await policy(retries: 5).retrying(hasAnswered: false) {
                tries += 1
                throw CancellationError()
            }
        }
        #expect(tries == 3)
    }
}
