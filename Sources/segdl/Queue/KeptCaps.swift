import SegmentedDL

/// The caps that were changed while a queue ran, for its next start.
struct KeptCaps: Codable, Equatable, Sendable {
    /// All caps at the start of the run.
    var started: QueueCommand.LimitChange
    /// All current caps.
    var changed: QueueCommand.LimitChange
    /// Options of aria2 that cap subsequently added downloads, by their names.
    var options: [String: [String]] = [:]

    init(of start: Limits) {
        started = QueueCommand.LimitChange(start)
        changed = started
    }

    /// Returns the caps of a next start: the changed value, if the start has the one that it was changed
    /// from. So a new option applies, and an unchanged one does not undo a change.
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
