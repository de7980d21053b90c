internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLSupport

/// The state of a running mirror, updated by its events.
final class MirrorProgress: Sendable {
    /// The maximum number of listed files.
    private static let shown = 50

    private struct State {
        var tally = MirrorTally()
        var running: [RelativePath: DownloadHandle] = [:]
        var meter = SpeedMeter(window: 5)
        var ending: MirrorReport.Ending?
        var lastFailure: String?
    }

    /// An active file.
    struct File: Sendable, Equatable {
        var path: String
        var bytesCompleted: Int64
        var bytesTotal: Int64?
        var bytesPerSecond: Double
    }

    /// A snapshot of the run.
    struct Snapshot: Sendable {
        var tally: MirrorTally
        var files: [File] = []
        var connections = 0
        var bytesPerSecond = 0.0
    }

    /// Seconds since 1970.
    let began: Double
    private let state = Lock(State())

    init(began: Double) {
        self.began = began
    }

    func take(_ event: MirrorEvent) {
        state.withLock { state in
            switch event {
            case .started(let item, let handle): state.running[item.shownPath] = handle
            case .completed(let item, let result):
                state.tally.complete(item.shownPath, result)
                Self.end(item.shownPath, &state)
            case .failed(let failure):
                state.tally.fail(failure.path?.text ?? failure.place, failure.message)
                state.lastFailure = failure.message
                if let path = failure.path { Self.end(path, &state) }
            case .listed(let listing): state.tally.list(listing)
            case .listedAgain:
                state.running = [:]
                state.tally.listAgain()
            case .deleted(let path): state.tally.remove(path)
            case .planned, .kept: break
            case .ended(let report):
                state.tally.end(report)
                state.ending = report.ending
            }
        }
    }

    private static func end(_ path: RelativePath, _ state: inout State) {
        guard let handle = state.running.removeValue(forKey: path) else { return }
        state.tally.cost = state.tally.cost + handle.currentProgress.cost
    }

    /// Records that a run could not begin.
    func fail(_ error: DownloadError, at place: String) {
        state.withLock { state in
            state.tally.fail(place, error.message)
            state.lastFailure = error.message
            state.ending = .sourceFailed
        }
    }

    /// True if the run has ended, and every file is present.
    var isComplete: Bool { state.withLock { $0.ending == .finished && $0.tally.failed == 0 } }

    /// Returns the outcome of the run. Without a report, it was cancelled.
    func outcome(ended: Double) -> MirrorOutcome {
        state.withLock { state in
            let ending = state.ending ?? .cancelled
            return MirrorOutcome(
                ending: ending, tally: state.tally, began: began, ended: ended,
                problem: ending == .sourceFailed || ending == .invalidJob ? state.lastFailure : nil)
        }
    }

    var snapshot: Snapshot {
        // Small files begin and end between two snapshots: their bytes are counted when they are complete.
        state.withLock { state in
            var snapshot = Snapshot(tally: state.tally)
            var received = state.tally.bytesReceived
            for (path, handle) in state.running {
                let progress = handle.currentProgress
                received += progress.bytesCompleted
                snapshot.connections += progress.connections
                guard progress.state != .queued, progress.state != .failed,
                    snapshot.files.count < Self.shown
                else { continue }
                snapshot.files.append(
                    File(
                        path: path.text, bytesCompleted: progress.bytesCompleted,
                        bytesTotal: progress.bytesTotal, bytesPerSecond: progress.bytesPerSecond))
            }
            snapshot.files.sort { $0.path < $1.path }
            state.meter.note(received, at: Monotonic.now())
            snapshot.bytesPerSecond = state.meter.bytesPerSecond
            return snapshot
        }
    }
}
