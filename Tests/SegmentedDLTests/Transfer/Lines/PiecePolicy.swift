@testable import SegmentedDL

/// Bounded ranges over connections that are kept open: unrequested bytes are unassigned, pieces shrink
/// towards the end, and a cut is the exception.
struct PiecePolicy: LinePolicy {
    struct Parameters {
        /// The length of the first request in bytes.
        var first: Int64 = 256 * 1024
        var connections = 16
        /// True to open the others together with the first request, not only after its head.
        var opensTogether = false
        /// The length of a piece of a connection with unknown speed.
        var unknown: ClosedRange<Int64> = 1024 * 1024...4 * 1024 * 1024
        var smallest: Int64 = 64 * 1024
        /// The part of its share of the rest that a connection requests.
        var share = 0.5
        /// The minimum duration of a piece, in seconds and in round trips: the longer one applies.
        var seconds = 1.0
        var trips = 8.0
        /// The minimum number of round trips that a cut has to save.
        var cutTrips = 4.0
        /// The number of round trips after its connect when a connection has left slow start and its speed is
        /// known.
        var knownTrips = 12.0
    }

    /// The best of 1,152 over eight scenes: all connections at once, small first pieces, then as much as
    /// fits.
    static let found = PiecePolicy(
        .init(
            opensTogether: true, unknown: 128 * 1024...1024 * 1024, smallest: 256 * 1024, share: 0.8,
            trips: 16))

    let parameters: Parameters
    private var next: Int64 = 0
    /// Bytes per second of connections that have received for some round trips.
    private var speeds: [Double?] = []

    init(_ parameters: Parameters = Parameters()) {
        self.parameters = parameters
    }

    mutating func decide(_ line: inout LineSimulation) {
        if line.connections.isEmpty {
            let first = line.open()
            line.ask(first, for: 0..<parameters.first)
            next = parameters.first
            for _ in 1..<parameters.connections where parameters.opensTogether { _ = line.open() }
        }
        guard let total = line.total else { return }
        if next < total {
            let alive = line.connections.count { $0.state != .closed }
            let worth = Int((total - next + parameters.smallest - 1) / parameters.smallest)
            for _ in 0..<max(0, min(parameters.connections - alive, worth)) { _ = line.open() }
        }
        while speeds.count < line.connections.count { speeds.append(nil) }
        for index in line.connections.indices {
            noteSpeed(line, index)
            guard line.connections[index].state == .idle else { continue }
            if next < total {
                let end = min(total, next + size(line, index, rest: total - next))
                line.ask(index, for: next..<end)
                next = end
            } else {
                takeTail(&line, index)
            }
        }
    }

    private mutating func noteSpeed(_ line: LineSimulation, _ index: Int) {
        let connection = line.connections[index]
        guard connection.state == .asked, let began = connection.firstByteAt else { return }
        let seconds = line.now - began
        guard seconds > line.line.roundTrip / 2 else { return }
        speeds[index] = (connection.received - Double(connection.range.lowerBound)) / seconds
    }

    private func size(_ line: LineSimulation, _ index: Int, rest: Int64) -> Int64 {
        guard let speed = speeds[index] else {
            let equal = rest / Int64(parameters.connections)
            return min(max(equal, parameters.unknown.lowerBound), parameters.unknown.upperBound)
        }
        let sum = speeds.reduce(0) { $0 + ($1 ?? 0) }
        let share = Double(rest) * speed / sum * parameters.share
        let most = speed * max(parameters.seconds, parameters.trips * line.line.roundTrip)
        return max(Int64(min(share, most)), parameters.smallest)
    }

    /// Takes the tail of the connection that would end last, if worthwhile.
    private mutating func takeTail(_ line: inout LineSimulation, _ index: Int) {
        let roundTrip = line.line.roundTrip
        guard let mine = speeds[index] ?? speeds.compactMap(\.self).max(), mine > 0 else { return }
        var last: (victim: Int, seconds: Double, speed: Double)?
        for victim in line.connections.indices where line.connections[victim].state == .asked {
            let connection = line.connections[victim]
            // The speed of a connection in slow start is unknown.
            guard let speed = speeds[victim], speed > 0,
                line.now - connection.began > parameters.knownTrips * roundTrip
            else { continue }
            let seconds = (Double(connection.end) - connection.received) / speed
            if seconds > last?.seconds ?? 0 { last = (victim, seconds, speed) }
        }
        guard let last, last.seconds > parameters.cutTrips * roundTrip else { return }
        let taken = (last.seconds - 2 * roundTrip) * last.speed * mine / (last.speed + mine)
        guard taken >= Double(parameters.smallest) else { return }
        let end = line.connections[last.victim].end
        let cut = end - Int64(taken)
        line.shorten(last.victim, to: cut)
        line.ask(index, for: cut..<end)
    }
}
