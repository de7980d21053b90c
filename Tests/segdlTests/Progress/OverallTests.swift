import SegmentedDL
import Testing

@testable import segdl

@Suite struct OverallTests {
    @Test func countsByState() {
        let files = DownloadState.allCases.enumerated().map { snapshot($0, progress($1, done: 1, total: 2)) }
        let overall = Overall(files)
        #expect(overall.files == 10)
        #expect(overall.waiting == 3)
        #expect(overall.active == 4)
        #expect(overall.completed == 1)
        #expect(overall.failed == 1)
        #expect(overall.cancelled == 1)
        // A failed or stopped file does not count towards the total.
        #expect(overall.bytesCompleted == 8)
        #expect(overall.bytesTotal == 16)
        #expect(overall.fraction == 0.5)
    }

    @Test func addsWhatIsNotListed() {
        let unlisted = FileTally(completed: 2, failed: 1, cancelled: 1, bytes: 50)
        let overall = Overall([halfway()], unlisted: unlisted)
        #expect(overall.files == 5)
        #expect(overall.completed == 2)
        #expect(overall.bytesCompleted == 471_859_250)
        #expect(overall.bytesTotal == 1_048_576_050)
        #expect(overall.bytesPerSecond == Double(10 << 20))
        #expect(overall.secondsRemaining == 55)
        #expect(overall.connections == 8)
    }

    @Test func oneUnknownLengthMakesTheTotalUnknown() {
        #expect(Overall([halfway(), snapshot(1, progress(done: 5))]).bytesTotal == nil)
        #expect(Overall([snapshot(1, progress(done: 5)), halfway()]).secondsRemaining == nil)
        #expect(Overall([halfway()], unlisted: FileTally(waiting: 1)).fraction == nil)
    }

    @Test(arguments: [
        ("https://example.com/a/disk.iso?token=1/2", "disk.iso"),
        ("https://user:pass@example.com/", "example.com"),
        ("https://user:pass@example.com", "example.com"), ("https://example.com/d/", "d"), ("", ""),
    ])
    func namesFromURLs(url: String, name: String) {
        #expect(snapshot(0, progress(), url: url).shownName == name)
    }
}
