import SegmentedDL
import SegmentedDLQueue
import Testing

@testable import segdl

@Suite("The retries of segdl queue start")
struct QueueStartTests {
    @Test("are few if something may wait for the end, and never more than --retries")
    func retries() {
        let usual = ManagerConfiguration.defaultRetry
        #expect(QueueStart.retry(endsByItself: false, retries: nil) == usual)
        for (endsByItself, retries, count) in [
            (true, nil, 2), (true, 0, 0), (true, 1, 1), (true, 9, 2), (false, 0, 0), (false, 3, 3),
            (false, 9, usual.retries),
        ] as [(Bool, Int?, Int)] {
            let retry = QueueStart.retry(endsByItself: endsByItself, retries: retries)
            #expect(retry.retries == count && retry.delay == usual.delay)
        }
    }
}
