import SegmentedDLSupport

/// The paused downloads of a downloader. Shutdown ends them explicitly, because they have no running task
/// that would observe it.
final class PausedDownloads: Sendable {
    private struct State {
        var ends: [Int: @Sendable () -> Void] = [:]
        var last = 0
        var isShutDown = false
    }

    private let state = Lock(State())

    /// True once `shutDown` was called.
    var isShutDown: Bool { state.withLock { $0.isShutDown } }

    /// Adds a download.
    ///
    /// - Parameter end: Ends the download.
    /// - Returns: Its number in the list; `nil` if the downloader is shut down.
    func add(_ end: @escaping @Sendable () -> Void) -> Int? {
        state.withLock { state -> Int? in
            guard !state.isShutDown else { return nil }
            state.last += 1
            state.ends[state.last] = end
            return state.last
        }
    }

    /// Removes a download that is no longer paused.
    func remove(_ number: Int) {
        state.withLock { $0.ends[number] = nil }
    }

    /// Ends all paused downloads, and those that are paused from now on.
    func shutDown() {
        let ends = state.withLock { state -> [@Sendable () -> Void] in
            state.isShutDown = true
            defer { state.ends = [:] }
            return Array(state.ends.values)
        }
        for end in ends { end() }
    }
}
