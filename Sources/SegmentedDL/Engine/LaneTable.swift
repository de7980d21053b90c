import Locks

/// What the engine's threads and those who send them requests know of each other's connections.
final class LaneTable: Sendable {
    fileprivate let choice: Mutex<LaneChoice>

    init(_ choice: LaneChoice) {
        self.choice = Mutex(choice)
    }

    /// As `LaneChoice.add`.
    func add() {
        choice.withLock { $0.add() }
    }

    /// As `LaneChoice.begin`.
    func begin(to host: String, isSpread: Bool) -> LanePlace {
        LanePlace(
            lane: choice.withLock { $0.begin(to: host, isSpread: isSpread) }, host: host, table: self)
    }
}

/// A request's place on one of the engine's threads, from before it is sent until others may count on its connection.
///
/// Who waits for the request's end is told after that: his next request is to find the connection.
final class LanePlace: Sendable {
    let lane: Int
    private let host: String
    private let table: LaneTable
    private let isOver = Mutex(false)

    fileprivate init(lane: Int, host: String, table: LaneTable) {
        self.lane = lane
        self.host = host
        self.table = table
    }

    /// As `LaneChoice.end`, once.
    func end(keepsConnection: Bool) {
        let isFirst = isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
        guard isFirst else { return }
        table.choice.withLock { $0.end(at: host, in: lane, keepsConnection: keepsConnection) }
    }
}
