import SegmentedDL
import SegmentedDLSupport

/// The progress of hashing one file.
final class HashMeter: Sendable {
    private struct State {
        var done: Int64 = 0
        var total: Int64?
        var meter = SpeedMeter()
    }

    private let name: String
    private let state = Lock(State())

    init(name: String) {
        self.name = name
        state.withLock { $0.meter.note(0, at: Monotonic.now()) }
    }

    func set(_ done: Int64, of total: Int64) {
        state.withLock { ($0.done, $0.total) = (done, total) }
    }

    var progress: DownloadProgress {
        let now = state.withLock { state in
            state.meter.note(state.done, at: Monotonic.now())
            return state
        }
        let speed = now.meter.bytesPerSecond
        return DownloadProgress(
            state: .verifying, name: name, bytesCompleted: now.done, bytesTotal: now.total,
            bytesPerSecond: speed,
            timeRemaining: now.total.map { .bounded(seconds: Double($0 - now.done) / max(speed, 1)) },
            completedRanges: [0..<now.done])
    }
}
