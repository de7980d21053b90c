internal import SegmentedDL
internal import SystemPackage

/// New downloads.
extension QueueState {
    /// Returns the existing download that a new record would repeat.
    ///
    /// - Throws: `DownloadError` with code `duplicate` if the existing download has another destination or
    ///   other settings, or another download has the same destination file.
    func existing(_ record: QueueRecord) throws(DownloadError) -> QueueRecord? {
        if let found = self.record(record.identifier) {
            let differences =
                found.source != record.source
                ? ["URL"]
                : found.destination != record.destination
                    ? ["destination"] : record.conflicts(with: found)
            guard differences.isEmpty else {
                throw DownloadError(
                    .duplicate,
                    "\(record.source) is already in the queue (number \(found.id)), with a different \(differences.joined(separator: ", ")); remove that one first, or add this one with its own key.",
                    url: record.source.description)
            }
            return found
        }
        if continued(by: record) == nil { try checkIsFree(record.destination, for: record.id) }
        return nil
    }

    /// Returns the download from the same source to the same file that a new one continues: a failed or
    /// cancelled one, or a complete one if the new one takes over existing files.
    private func continued(by record: QueueRecord) -> QueueRecord? {
        guard let path = record.destination.file, let other = owner(of: path), other.id != record.id,
            other.source == record.source, !isRunning(other.id)
        else { return nil }
        return switch other.state {
        case .failed, .cancelled: other
        case .completed: record.request.takesOver ? other : nil
        default: nil
        }
    }

    /// Checks a destination. A download that was cancelled before its first byte reserves no destination.
    ///
    /// - Throws: `DownloadError` with code `duplicate` if another download has the same destination file.
    func checkIsFree(_ destination: DownloadRequest.Destination, for id: ID) throws(DownloadError) {
        guard let path = destination.file, let other = owner(of: path), other.id != id,
            other.part != nil || other.state != .failed && other.state != .cancelled
        else { return }
        throw DownloadError(
            .duplicate,
            "Download \(other.id) of the queue already has the destination '\(path)'; choose another name.")
    }

    /// Adds a download at the end, or, in a LIFO queue, at the front. It does not run before `admit`.
    mutating func add(_ record: QueueRecord) -> [Action] {
        var record = record
        record.rank = limits.queueOrder == .fifo ? ranks.last() : ranks.first()
        let handedOver = takeOverPart(for: &record)
        insert(record, isStored: false)
        return handedOver + [.added(record.id), .save(record.id)]
    }

    /// Moves a download's bytes to the new one that continues it.
    private mutating func takeOverPart(for record: inout QueueRecord) -> [Action] {
        guard let other = continued(by: record), other.part != nil else { return [] }
        (record.path, record.part) = (other.path, other.part)
        (record.bytesCompleted, record.bytesTotal) = (other.bytesCompleted, other.bytesTotal)
        return edit(other.id) { $0.part = nil }
    }

    /// Allows added downloads to run, after they have been stored.
    mutating func admit(_ ids: [ID]) {
        for id in ids {
            guard let record = records[id], record.state == .queued, isListed(id) else { continue }
            waiting.remove(record)
            waiting.insert(record)
        }
    }
}
