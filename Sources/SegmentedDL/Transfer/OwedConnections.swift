import SegmentedDLSupport

/// Connections that other files have requested.
final class OwedConnections: Sendable {
    private let count = Lock(0)

    func add() {
        count.withLock { $0 += 1 }
    }

    /// Returns true if the caller should release its connection.
    func take() -> Bool {
        count.withLock { count in
            guard count > 0 else { return false }
            count -= 1
            return true
        }
    }
}
