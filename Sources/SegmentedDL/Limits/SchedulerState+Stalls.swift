/// Files that wait for a host that is silent, refuses requests, or asks for a pause. They must not hold up
/// those of other hosts, so that others start in their place.
extension SchedulerState {
    /// Seconds without a response or a connection after which a file counts as stalled.
    static let stallSeconds = 2.0

    /// The maximum number of files that start in place of stalled ones, whose hosts the queue does not know:
    /// they may all be files of the same host.
    static let mostReplacements = 32

    /// Returns true if a further file may start. A fixed number of files is never exceeded.
    func mayStart(now: Double) -> Bool {
        guard !queue.isEmpty else { return false }
        guard limits.activeFiles == .automatic else { return files.count < allowedFiles }
        guard files.count - Self.mostReplacements < allowedFiles else { return false }
        let stalled = stalledFiles(now: now)
        guard files.count - min(stalled.count, Self.mostReplacements) < allowedFiles else { return false }
        // Further files would only wait for a connection and block files of higher priority.
        return files.count { !$1.hasConnected && !stalled.contains($0) } < FileWindow.smallest
    }

    /// Records that a host has responded to a file's request.
    mutating func responded(_ file: FileID) {
        files[file]?.idleSince = nil
    }

    /// The time at which the next file counts as stalled, rounded up to half a second; `nil` if that allows
    /// no other one to start.
    func nextStall(now: Double) -> Double? {
        guard !queue.isEmpty, limits.activeFiles == .automatic else { return nil }
        var next: Double?
        for file in files.values where !file.needsNone {
            guard let stall = file.idleSince.map({ $0 + Self.stallSeconds }), stall > now else { continue }
            next = min(next ?? stall, stall)
        }
        // A file without a response usually receives one: each would otherwise set another alarm.
        return next.map { ($0 * 2).rounded(.up) / 2 }
    }

    /// The files that have been idle for long, except those to which only the caps allow no connection.
    func stalledFiles(now: Double) -> Set<FileID> {
        guard files.values.contains(where: { isIdle($0, now: now) }) else { return [] }
        let idle = files.filter { isIdle($1, now: now) }.keys
        let capped = waiting.lazy.compactMap { self.connections[$0] }
            .filter { now >= self.pausedUntil($0.host) ?? now }.map(\.file)
        return Set(idle).subtracting(capped)
    }

    private func isIdle(_ file: File, now: Double) -> Bool {
        guard !file.needsNone, let since = file.idleSince else { return false }
        return now >= since + Self.stallSeconds
    }
}
