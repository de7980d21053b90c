import SegmentedDL
import SegmentedDLSupport

/// The progress of the hashing of one file.
final class HashMeter: Sendable {
    private struct State {
        var done: Int64 = 0
        var total: Int64?
    }

    private let name: String
    private let began = ContinuousClock.now
    private let state = Lock(State())

    init(name: String) {
        self.name = name
    }

    func set(_ done: Int64, of total: Int64) {
        state.withLock { $0 = State(done: done, total: total) }
    }

    var progress: DownloadProgress {
        let now = state.withLock { $0 }
        let speed = Double(now.done) / max(ByteFormat.seconds(ContinuousClock.now - began), 0.001)
        return DownloadProgress(
            state: .verifying, name: name, bytesCompleted: now.done, bytesTotal: now.total,
            bytesPerSecond: speed,
            timeRemaining: now.total.map { .bounded(seconds: Double($0 - now.done) / max(speed, 1)) },
            completedRanges: [0..<now.done])
    }
}
