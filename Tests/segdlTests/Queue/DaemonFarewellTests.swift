import SegmentedDL
import SegmentedDLQueue
import Testing

@testable import segdl

@Suite struct DaemonFarewellTests {
    private func words(_ counts: [DownloadState: Int]) -> [String] {
        var progress = QueueProgress()
        progress.counts = counts
        return DaemonFarewell.hints(progress)
    }

    @Test("one sentence states what the next start resumes, and what waits for the user")
    func sentences() {
        #expect(words([:]) == [] && words([.completed: 3]) == [])
        #expect(words([.queued: 1]) == ["The same segdl serve command resumes 1 download."])
        #expect(words([.paused: 1]) == ["1 paused remains so until Resume or Retry is pressed on the page."])
        #expect(
            words([.downloading: 1, .retrying: 1, .paused: 2, .failed: 1, .completed: 9])
                == [
                    "The same segdl serve command resumes 2 downloads; 2 paused and 1 failed remain so until Resume or Retry is pressed on the page."
                ])
        #expect(
            words([.paused: 2, .failed: 3, .cancelled: 1])
                == [
                    "2 paused, 3 failed and 1 cancelled remain so until Resume or Retry is pressed on the page."
                ])
    }
}
