/// Files that wait for a host that is silent, refuses requests, or asks for a pause. They must not hold up
/// files of other hosts, so others start in their place.
extension SchedulerState {
    /// Seconds without a response or a connection after which a file counts as stalled.
    static let stallSeconds = 2.0

    /// The maximum number of files that start in place of stalled ones, whose hosts the queue does not know:
    /// they may all be files of the same host.
    static let mostReplacements = 32

    /// The number of files that may start now; 0 or less for none. A fixed number of files is never exceeded.
    func startableFiles(now: Double) -> Int {
        guard !queue.isEmpty else { return 0 }
        guard limits.activeFiles == .automatic else { return allowedFiles - files.count }
        let free = allowedFiles - (files.count - files.asking)
        guard free + min(files.stalled.count, Self.mostReplacements) > 0 else { return 0 }
        let stalled = stalledFiles(now: now)
        // Further files would only wait for a connection and block files of higher priority.
        let connecting = files.unconnected - stalled.unconnected
        return min(free + min(stalled.count, Self.mostReplacements), FileWindow.smallest - connecting)
    }

    /// The number of files that may start in place of stalled ones.
    mutating func replaceableFiles(now: Double) -> Int {
        guard limits.activeFiles == .automatic else { return 0 }
        files.elapse(to: now)
        return min(stalledFiles(now: now).count, Self.mostReplacements)
    }

    /// Records that a host has responded to a file's request.
    mutating func responded(_ file: FileID) {
        guard files[file]?.idleSince != nil else { return }
        files[file]?.idleSince = nil
    }

    /// The time at which the next file counts as stalled, rounded up to half a second; `nil` if no other file
    /// could start then.
    func nextStall(now: Double) -> Double? {
        guard !queue.isEmpty, limits.activeFiles == .automatic else { return nil }
        // Round up: most files receive a response in time, and each would otherwise set another alarm.
        return files.nextStall(after: now).map { ($0 * 2).rounded(.up) / 2 }
    }

    /// The number of files that had been idle for too long at the last decision, and how many of them have
    /// had no connection. Neither number includes files that only the caps deny a connection, and the first
    /// does not include files that only ask about copies.
    func stalledFiles(now: Double) -> (count: Int, unconnected: Int) {
        guard !files.stalled.isEmpty else { return (0, 0) }
        var capped: Set<FileID> = []
        for connection in waiting.lazy.compactMap({ self.connections[$0] })
        where files.stalled.contains(connection.file) && !isPaused(connection, now: now) {
            capped.insert(connection.file)
        }
        let cappedUnconnected = capped.count { files[$0]?.hasConnected == false }
        let count = files.stalled.count - files.stalledAsking - capped.count { files[$0]?.asksOnly == false }
        return (count, files.stalledUnconnected - cappedUnconnected)
    }
}
