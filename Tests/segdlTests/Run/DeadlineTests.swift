import Testing

@testable import segdl

@Suite("The time limit for work")
struct DeadlineTests {
    @Test("ends work that takes longer, and reports that")
    func late() async {
        let isLate = await Deadline.run(.milliseconds(1)) {
            while !Task.isCancelled { await Task.yield() }
        }
        #expect(isLate)
    }

    @Test(
        "does not expire when the work ends first, or is cancelled",
        arguments: [nil, Duration.seconds(3600), .seconds(Int64.max)])
    func inTime(longest: Duration?) async {
        #expect(await !Deadline.run(longest) {})
        let cancelled = Task {
            await Deadline.run(longest) {
                while !Task.isCancelled { await Task.yield() }
            }
        }
        cancelled.cancel()
        #expect(await !cancelled.value)
    }
}
