/// The files whose requests a host refuses while it serves others: such a refusal is specific to the file. A
/// plain value for one host.
///
/// A first refusal looks the same in both cases, so it lowers the host's limit. The limit is restored if only
/// such files have been refused since. A file with another connection to the host does not count as such,
/// because the host serves it.
struct HostRefusals: Sendable {
    typealias Subject = Int
    typealias ConnectionID = SchedulerState.ConnectionID

    /// The number of consecutive refusals after which they are attributed to the file.
    static let leastRefusals = 3
    /// The time after an ambiguous refusal before another file may test whether the host is limiting
    /// connections.
    static let trialSeconds = 1.0
    /// The maximum number of remembered files: a host that refuses more is refusing in general.
    private static let mostFiles = 64

    private struct Record {
        var refusals = 1
        /// The last refused connection, and the number of other open ones.
        var connection: ConnectionID
        var others: Int
        /// True if another file was served while this one was refused.
        var isAlone = false
        /// The host's last response to another file since then.
        var lastToOthers: Saying?
        /// The end of the delay that the last refusal stated.
        var pausedUntil = 0.0

        var isOfFile: Bool { refusals >= HostRefusals.leastRefusals && isAlone }
    }

    private enum Saying { case served, refused }

    private var records: [Subject: Record] = [:]
    /// The host's limit before the refusals that may concern files; `nil` while the limit is certain.
    private var before: HostLimit?
    private var lastRefusal = 0.0
    /// The connection beyond the limit with which another file tests it.
    private var trial: ConnectionID?

    /// Records the refusal of a file that has no other connection to the host.
    ///
    /// - Parameters:
    ///   - others: The number of other open connections.
    ///   - limit: The host's limit so far.
    /// - Returns: The new limit if the refusal is specific to the file; `nil` if it may apply to the host,
    ///   whose limit must then be updated.
    mutating func refused(
        _ file: Subject, over connection: ConnectionID, whileOpen others: Int, limit: HostLimit, now: Double
    ) -> HostLimit? {
        if trial == connection { trial = nil }
        var record = records[file] ?? Record(refusals: 0, connection: connection, others: others)
        // The host refuses others as well, and serves none: it is busy after all.
        if record.isOfFile, record.lastToOthers == .refused {
            record = Record(refusals: 0, connection: connection, others: others)
        }
        // A host with a request rate limit refuses any file between the windows in which it serves all.
        if limit.interval == nil || record.refusals == 0 || record.lastToOthers == .served {
            record.refusals += 1
        }
        // Fewer were open than at its last refusal, and the host continued to serve them.
        let isBelowLimit = record.refusals > 1 && (1..<max(1, record.others)).contains(others)
        if record.lastToOthers == .served || isBelowLimit { record.isAlone = true }
        (record.connection, record.others, record.lastToOthers) = (connection, others, nil)
        records[file] = record
        guard record.isOfFile else {
            before = before ?? limit
            lastRefusal = now
            for other in records.keys where other != file { records[other]?.lastToOthers = .refused }
            forgetOldest()
            return nil
        }
        guard let before, records.values.allSatisfy(\.isOfFile) else { return limit }
        endDoubt()
        return before
    }

    /// Records that the host served a request.
    ///
    /// - Returns: The new limit, if this disproves the old one.
    mutating func served(_ file: Subject, over connection: ConnectionID) -> HostLimit? {
        for (other, record) in records where other != file && connection > record.connection {
            records[other]?.lastToOthers = .served
        }
        // The refusals were due to the host, and the limits derived from them remain valid.
        if records.removeValue(forKey: file) != nil { endDoubt() }
        guard trial == connection else { return nil }
        defer { endDoubt() }
        return before
    }

    /// Records a refusal that certainly applies to the host.
    mutating func hostRefused() {
        endDoubt()
        for file in records.keys { records[file]?.lastToOthers = .refused }
    }

    /// Records the delay that a refusal stated. It applies to the file even if the host accepts others.
    mutating func pauses(_ file: Subject, until end: Double) {
        records[file]?.pausedUntil = end
    }

    /// Returns true if a file must not be requested yet, even if the host accepts others.
    func isPaused(_ file: Subject, now: Double) -> Bool { nextRequest(for: file, now: now) != nil }

    /// The time from which a refused file may be requested; `nil` if it has passed.
    func nextRequest(for file: Subject, now: Double) -> Double? {
        guard let end = records[file]?.pausedUntil, now < end else { return nil }
        return end
    }

    /// Records that a connection has ended.
    mutating func ended(_ connection: ConnectionID) {
        if trial == connection { trial = nil }
    }

    /// Returns true if a file's last refusal was specific to the file.
    func isOfFile(_ file: Subject) -> Bool { records[file]?.isOfFile ?? false }

    /// Returns true if the host has refused a file that it has not served since.
    func hasRefused(_ file: Subject) -> Bool { records[file] != nil }

    /// Returns true if a file may have one connection beyond the limit, to test that limit.
    func mayTry(_ file: Subject, now: Double) -> Bool {
        before != nil && trial == nil && now >= lastRefusal + Self.trialSeconds && records[file] == nil
    }

    /// Records that a connection beyond the limit was granted.
    mutating func tries(_ connection: ConnectionID) {
        trial = connection
    }

    /// True if such a connection is in use.
    var isTrying: Bool { trial != nil }

    /// The time from which another file may try; `nil` for none, or if it has passed.
    func nextTrial(now: Double) -> Double? {
        guard before != nil, trial == nil, now < lastRefusal + Self.trialSeconds else { return nil }
        return lastRefusal + Self.trialSeconds
    }

    private mutating func endDoubt() {
        (before, trial) = (nil, nil)
    }

    private mutating func forgetOldest() {
        guard records.count > Self.mostFiles else { return }
        let oldest = records.min { $0.value.connection < $1.value.connection }
        if let oldest { records[oldest.key] = nil }
    }
}
