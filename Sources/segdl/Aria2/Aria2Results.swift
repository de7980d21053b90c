import SegmentedDLSupport

/// The results of a run's files, for the exit status, the table and the session.
final class Aria2Results: Sendable {
    private struct State {
        /// The status of each file that has succeeded or failed.
        var statuses: [Int: Int32] = [:]
        var last: Int32?
        var begun: Set<Int> = []
    }

    private let state = Lock(State())

    /// Records the start of a file.
    ///
    /// - Returns: False if it had been recorded before.
    func begin(_ id: Int) -> Bool {
        state.withLock { $0.begun.insert(id).inserted }
    }

    /// Records the end of a file.
    ///
    /// - Parameter status: aria2's status; `nil` if the file was stopped.
    func end(_ id: Int, _ status: Int32?) {
        guard let status else { return }
        state.withLock { state in
            state.statuses[id] = status
            if status != 0 { state.last = status }
        }
    }

    /// The status of a file that has succeeded or failed; `nil` for any other.
    func status(of id: Int) -> Int32? { state.withLock { $0.statuses[id] } }

    /// Returns the exit status of a run with this many files.
    func exitStatus(of count: Int) -> Int32 {
        state.withLock { Aria2Status.ofRun(last: $0.last, isUnfinished: $0.statuses.count < count) }
    }
}
