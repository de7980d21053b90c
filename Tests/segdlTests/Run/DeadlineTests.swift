import Testing

@testable import segdl

@Suite("The longest time for work")
struct DeadlineTests {
    @Test("ends work that takes longer, and is told")
    func late() async {
        let isLate = await Deadline.run(.milliseconds(1)) {
            while !Task.isCancelled { await Task.yield() }
        }
        #expect(isLate)
    }

    @Test("is not over when the work ends first, or is cancelled", arguments: [nil, Duration.seconds(3600)])
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
