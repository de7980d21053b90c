import SegmentedDLSupport

/// Records which thread has which connections. Shared by the engine's threads and the callers that open
/// requests.
///
/// The table must be updated before the waiting caller is resumed, so that its next request can reuse the
/// connection. A caller that is resumed first may call `begin` before the thread has called `end`. The
/// connection would not count as idle yet, and the request could be assigned to another thread, which would
/// open a second connection to the host.
final class LaneTable: Sendable {
    private let choice: Lock<LaneChoice>

    init(_ choice: LaneChoice) {
        self.choice = Lock(choice)
    }

    /// Calls `LaneChoice.add` under the lock.
    func add(isForSharing: Bool = false) {
        choice.withLock { $0.add(isForSharing: isForSharing) }
    }

    /// Calls `LaneChoice.begin` under the lock.
    func begin(
        to host: String, isSpread: Bool, kind: LaneChoice.Kind = .own, sharing: Int = 1
    ) -> LaneChoice.Ticket {
        choice.withLock { $0.begin(to: host, isSpread: isSpread, kind: kind, sharing: sharing) }
    }

    /// Calls `LaneChoice.answered` under the lock.
    ///
    /// - Parameter isShared: `nil` if unknown; this call then has no effect.
    func answered(_ ticket: LaneChoice.Ticket, isShared: Bool?, isFirst: Bool) {
        guard let isShared else { return }
        choice.withLock { $0.answered(ticket, isShared: isShared, isFirst: isFirst) }
    }

    /// Calls `LaneChoice.connections` under the lock.
    func connections(of lane: Int) -> Int {
        choice.withLock { $0.connections(of: lane) }
    }

    /// Calls `LaneChoice.requestsPerConnection` under the lock.
    func requestsPerConnection(of lane: Int) -> Int? {
        choice.withLock { $0.requestsPerConnection(of: lane) }
    }

    /// Changes the maximum number of connections of all threads.
    func set(maxConnections: Int, perHost: Int) {
        choice.withLock { ($0.maximumConnections, $0.maximumPerHost) = (maxConnections, perHost) }
    }

    /// Calls `LaneChoice.abandon` under the lock.
    func abandon(_ ticket: LaneChoice.Ticket) {
        choice.withLock { $0.abandon(ticket) }
    }

    /// Calls `LaneChoice.withdraw` under the lock.
    func withdraw(_ ticket: LaneChoice.Ticket) {
        choice.withLock { $0.withdraw(ticket) }
    }

    /// Calls `LaneChoice.end` under the lock.
    func end(_ ticket: LaneChoice.Ticket, keepsConnection: Bool) {
        choice.withLock { $0.end(ticket, keepsConnection: keepsConnection) }
    }

    /// Calls `LaneChoice.settle` under the lock.
    func settle(_ host: String, on lane: Int, open: Int) -> Int {
        choice.withLock { $0.settle(host, on: lane, open: open) }
    }
}
