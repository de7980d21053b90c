internal import SegmentedDL

/// The settings of downloads.
extension DownloadManager {
    /// Changes the settings of a download in a queue, which is this manager's.
    func change(
        _ id: Receipt.ID, in queue: inout QueueState, isReauthorized: Bool = false,
        _ edit: (inout QueueEntry) throws(DownloadError) -> Void
    ) throws -> [QueueState.Action] {
        guard let record = queue.records[id] else { return [] }
        let known = authorizations[id] ?? Authorization()
        var entry = QueueEntry(record.request, key: record.key, onComplete: record.onComplete)
        entry.request.headers = known.headers
        entry.request.credentials = known.credentials
        let before = entry
        try edit(&entry)
        guard entry != before || isReauthorized else { return [] }
        try entry.request.validate()
        let isOther = entry.request.authorization != known
        let changed = try QueueRecord(entry, id: id, now: record.added)
        let actions = try queue.change(id, to: changed, isReauthorized: isReauthorized || isOther)
        if isOther { authorizations[id] = entry.request.authorization }
        return actions
    }
}
