internal import SegmentedDL

/// Downloads whose directory is being moved.
extension QueueState {
    /// Stops downloads, none of which begins before `endMove`. Their states remain those of downloads that
    /// will run, so that neither a failed move nor a kill leaves them paused.
    mutating func beginMove(_ ids: [ID]) -> [Action] {
        hold(ids)
        var actions: [Action] = []
        for id in ids {
            if let record = records[id], record.state == .queued, isListed(id) { waiting.remove(record) }
            moving[id, default: 0] += 1
            if isRunning(id), intent(of: id) == nil { actions += setRun(id, intent: .resume) }
        }
        return actions
    }

    /// Changes the paths of a download that is not running.
    mutating func relocate(_ id: ID, _ move: Move) -> [Action] {
        let actions = edit(id) { $0.relocate(move) }
        if let record = records[id], let path = record.path ?? record.destination.file { own(path, id) }
        return actions
    }

    /// Makes downloads eligible to run again, unless another move includes them.
    mutating func endMove(_ ids: [ID]) {
        for id in ids {
            guard let moves = moving[id] else { continue }
            moving[id] = moves > 1 ? moves - 1 : nil
        }
        admit(ids)
    }
}
