import SegmentedDLSupport

/// What the engine's threads and those who send them requests know of each other's connections.
///
/// Who waits for a request's end is told after the table: his next request is to find the connection.
final class LaneTable: Sendable {
    private let choice: Lock<LaneChoice>

    init(_ choice: LaneChoice) {
        self.choice = Lock(choice)
    }

    /// As `LaneChoice.add`.
    func add() {
        choice.withLock { $0.add() }
    }

    /// As `LaneChoice.begin`.
    func begin(to host: String, isSpread: Bool) -> LaneChoice.Place {
        choice.withLock { $0.begin(to: host, isSpread: isSpread) }
    }

    /// As `LaneChoice.end`.
    func end(_ place: LaneChoice.Place, keepsConnection: Bool) {
        choice.withLock { $0.end(place, keepsConnection: keepsConnection) }
    }
}
