import SegmentedDL

/// The caps that were changed while a queue was running, for its next start.
struct KeptCaps: Codable, Equatable, Sendable {
    /// All caps at the start of the run.
    var started: QueueCommand.LimitChange
    /// All current caps.
    var changed: QueueCommand.LimitChange
    /// The aria2 options that limit downloads added later, by name.
    var options: [String: [String]] = [:]

    init(of start: Limits) {
        started = QueueCommand.LimitChange(start)
        changed = started
    }

    /// Returns the caps for the next start. A changed value is used if the start has the value that it was
    /// changed from, so that a new option applies, and an unchanged one does not undo a change.
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
