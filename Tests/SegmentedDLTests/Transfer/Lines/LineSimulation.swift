import TestSupport

@testable import SegmentedDL

/// A strategy for requesting the bytes of a file: decides after each change which connections to open, use
/// and close.
protocol LinePolicy {
    mutating func decide(_ line: inout LineSimulation)
}

/// One download over a line with TCP, in virtual time. Time advances in steps of a tenth of a round trip;
/// bytes flow as a fluid, and losses affect the bytes of one step.
struct LineSimulation {
    struct Outcome {
        var seconds = 0.0
        /// Bytes sent by the server beyond those of the file.
        var bytesTwice = 0.0
        var requests = 0
        var connections = 0
        /// A violated invariant; `nil` if there was none.
        var complaint: String?
    }

    struct Chunk {
        var bytes: Double
        var arrives: Double
        var acknowledged: Double
        var hasArrived = false
        var isAcknowledged = false
    }

    struct Connection {
        enum State { case connecting, idle, asked, closed }

        var state = State.connecting
        /// When the connection is established.
        var ready: Double
        /// When its first request was sent.
        var began = Double.infinity
        var range = 0..<Int64(0)
        /// Where the client stops reading; the body continues to the end of `range`.
        var end: Int64 = 0
        var firstByteAt: Double?
        /// True if another connection was asked for its bytes because no response arrived.
        var isGivenUp = false
        /// The client's offset in the file.
        var received = 0.0
        // State known only to the server.
        var isServed = false
        var window = CongestionWindow()
        var sent = 0.0
        var sendsFrom = Double.infinity
        var hearsOfEnd = Double.infinity
        var chunks: [Chunk] = []
        var underWay = 0.0
        var lastSent = 0.0
        var blockedUntil = 0.0

        var arrived: Int64 { Int64(received) }
    }

    let line: FarLine
    let bytes: Int64
    private(set) var now = 0.0
    private(set) var connections: [Connection] = []
    /// Known once the first response's head has arrived.
    private(set) var total: Int64?
    private(set) var outcome = Outcome()
    private var done = ByteRangeSet()
    /// Bytes received over abandoned connections: they may be received again.
    private var late = ByteRangeSet()
    private var queued = 0.0
    private var crossed = 0.0
    private var random: SplitMix64
    private let step: Double
    private static let patience = 3600.0

    init(_ line: FarLine, bytes: Int64, seed: UInt64 = 1) {
        self.line = line
        self.bytes = bytes
        random = SplitMix64(seed: seed)
        step = max(line.roundTrip / 10, 0.0005)
    }

    mutating func run(_ policy: inout some LinePolicy) -> Outcome {
        while outcome.complaint == nil {
            policy.decide(&self)
            if done == ByteRangeSet(0..<bytes) { break }
            now += step
            carry()
            if now > Self.patience { outcome.complaint = "no end in sight" }
        }
        outcome.seconds = now
        // Bytes in flight when the client disconnects were sent nevertheless.
        for index in connections.indices { close(index) }
        let end = now + line.roundTrip
        while now < end {
            now += step
            carry()
        }
        outcome.bytesTwice = crossed - Double(bytes)
        return outcome
    }

    // MARK: For policies

    /// Seconds, with the wait in the queue.
    var currentRoundTrip: Double { line.roundTrip + queued / line.rate }

    mutating func open() -> Int {
        var ready = now + line.setupTrips * line.roundTrip
        // A lost packet of the connect is resent after a second.
        if isLost(2 * (line.setupTrips + 1)) { ready += 1 }
        connections.append(Connection(ready: ready))
        outcome.connections += 1
        return connections.count - 1
    }

    /// Sends a request once the connection is established.
    mutating func ask(_ index: Int, for range: Range<Int64>) {
        let begins = max(now, connections[index].ready)
        var arrives = begins + line.roundTrip / 2
        if isLost(1) { arrives += line.roundTrip + 0.2 }
        if arrives - connections[index].lastSent > line.roundTrip + 0.2 { connections[index].window.idled() }
        connections[index].state = .asked
        connections[index].range = range.clamped(to: range.lowerBound..<bytes)
        connections[index].end = connections[index].range.upperBound
        connections[index].began = min(connections[index].began, begins)
        connections[index].firstByteAt = nil
        connections[index].received = Double(range.lowerBound)
        connections[index].sent = Double(range.lowerBound)
        connections[index].sendsFrom = arrives + line.latency
        outcome.requests += 1
    }

    /// Stops reading at `end`, which closes the connection unless the body ends there.
    mutating func shorten(_ index: Int, to end: Int64) {
        connections[index].end = max(end, connections[index].arrived)
        if connections[index].arrived >= connections[index].end { finish(index) }
    }

    /// Records that another connection was asked for its bytes.
    mutating func giveUp(_ index: Int) {
        connections[index].isGivenUp = true
    }

    /// - Parameter end: Where the client stopped reading.
    mutating func close(_ index: Int, keeping end: Int64 = .max) {
        guard connections[index].state != .closed else { return }
        connections[index].received = min(connections[index].received, Double(end))
        if connections[index].state == .asked { note(index) }
        connections[index].state = .closed
        connections[index].hearsOfEnd = now + line.roundTrip / 2
    }

    // MARK: The network

    private mutating func isLost(_ packets: Double) -> Bool {
        line.loss > 0 && Double.random(in: 0...1, using: &random) < packets * line.loss
    }

    private mutating func carry() {
        queued = max(0, queued - line.rate * step)
        serve()
        // The first connection is random, so that none gets all of the queue.
        let first = connections.isEmpty ? 0 : Int.random(in: 0..<connections.count, using: &random)
        for offset in connections.indices {
            let index = (first + offset) % connections.count
            if connections[index].state == .closed, now > connections[index].hearsOfEnd { continue }
            if connections[index].state == .connecting, now >= connections[index].ready {
                connections[index].state = .idle
            }
            arrive(index)
        }
        for offset in connections.indices {
            let index = (first + offset) % connections.count
            if now <= connections[index].hearsOfEnd { send(index) }
        }
    }

    private mutating func serve() {
        guard line.most < .max else { return }
        let open = connections.indices.filter {
            connections[$0].state != .closed || now <= connections[$0].hearsOfEnd
        }
        var places = line.most - open.count { connections[$0].isServed }
        for index in open where places > 0 && !connections[index].isServed && now >= connections[index].ready
        {
            connections[index].isServed = true
            places -= 1
        }
    }

    private mutating func arrive(_ index: Int) {
        var gone = 0
        for place in connections[index].chunks.indices {
            let chunk = connections[index].chunks[place]
            if chunk.arrives <= now, !chunk.hasArrived {
                connections[index].chunks[place].hasArrived = true
                receive(index, chunk.bytes)
            }
            if chunk.acknowledged <= now, !chunk.isAcknowledged {
                connections[index].chunks[place].isAcknowledged = true
                connections[index].underWay -= chunk.bytes
                connections[index].window.acknowledged(chunk.bytes, now: now, roundTrip: line.roundTrip)
            }
            if max(chunk.arrives, chunk.acknowledged) <= now, gone == place { gone += 1 }
        }
        if gone > 0 { connections[index].chunks.removeFirst(gone) }
    }

    private mutating func receive(_ index: Int, _ bytes: Double) {
        guard connections[index].state == .asked else { return }
        if connections[index].firstByteAt == nil { connections[index].firstByteAt = now }
        total = self.bytes
        let end = Double(connections[index].end)
        connections[index].received = min(connections[index].received + bytes, end)
        if end - connections[index].received < 0.5 {
            connections[index].received = end
            finish(index)
        }
    }

    private mutating func finish(_ index: Int) {
        if connections[index].end < connections[index].range.upperBound { return close(index) }
        note(index)
        connections[index].state = .idle
    }

    private mutating func note(_ index: Int) {
        let (start, end) = (connections[index].range.lowerBound, connections[index].arrived)
        guard start < end else { return }
        if connections[index].isGivenUp {
            late.insert(contentsOf: start..<end)
        } else if !done.intersection(ByteRangeSet(start..<end)).subtracting(late).ranges.isEmpty {
            outcome.complaint = "a byte came twice"
        }
        done.insert(contentsOf: start..<end)
    }

    private mutating func send(_ index: Int) {
        let connection = connections[index]
        // The client's window ends where it stops reading.
        let rest = Double(min(connection.range.upperBound, connection.end)) - connection.sent
        guard now >= connection.sendsFrom, rest > 0, connection.isServed || line.most == .max else { return }
        let room = min(connection.window.bytes - connection.underWay, line.each * step)
        let wanted = min(rest, room)
        guard wanted > 0 else { return }
        let fits = min(wanted, max(0, line.queue + line.rate * step - queued))
        let wait = queued / line.rate
        let roundTrip = line.roundTrip + wait
        if fits < wanted {
            connections[index].window.lost(now: now, roundTrip: roundTrip)
            // Dropped packets are resent.
            connections[index].blockedUntil = now + 1.5 * roundTrip
        }
        guard fits > 0 else { return }
        connections[index].window.queued(wait, now: now, roundTrip: line.roundTrip)
        if isLost(fits / CongestionWindow.segment) {
            connections[index].window.lost(now: now, roundTrip: roundTrip)
            // A loss at the end of a response is detected later, because nothing follows it.
            connections[index].blockedUntil = now + (fits == rest ? 2.5 : 1.5) * roundTrip
        }
        queued += fits
        crossed += fits
        // Bytes after a lost packet wait for it, but are acknowledged as usual (RFC 2018).
        let arrives = now + line.roundTrip / 2 + wait
        connections[index].chunks.append(
            Chunk(
                bytes: fits, arrives: max(arrives, connections[index].blockedUntil),
                acknowledged: arrives + line.roundTrip / 2))
        connections[index].sent += fits
        connections[index].underWay += fits
        connections[index].lastSent = now
    }
}
