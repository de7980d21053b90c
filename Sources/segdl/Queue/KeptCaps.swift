import SegmentedDL

/// The caps that were changed while a queue ran, for its next start.
struct KeptCaps: Codable, Equatable, Sendable {
    /// All caps that the run was started with.
    var started: QueueCommand.LimitChange
    /// All caps in force.
    var changed: QueueCommand.LimitChange
    /// Options of aria2 that cap downloads which are added from now on, by their names.
    var options: [String: [String]] = [:]

    init(of start: Limits) {
        started = QueueCommand.LimitChange(start)
        changed = started
    }

    /// Returns the caps of a next start: a changed one, as long as the start has the one that it was changed
    /// from. So a new option of the start counts, and the same one as before does not undo a change.
    func caps(for start: Limits) -> Limits {
        let given = QueueCommand.LimitChange(start)
        var kept = QueueCommand.LimitChange()
        if given.activeFiles == started.activeFiles { kept.activeFiles = changed.activeFiles }
        if given.connections == started.connections { kept.connections = changed.connections }
        if given.connectionsPerHost == started.connectionsPerHost {
            kept.connectionsPerHost = changed.connectionsPerHost
        }
        if given.rate == started.rate { kept.rate = changed.rate }
        return kept.applied(to: start)
    }
}
