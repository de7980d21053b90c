/// Assigns the bytes of one file to connections.
///
/// A plain value: it owns no connection and no clock. Every byte is in exactly one of these states: *written*
/// (on disk), *assigned* (inside a segment) or *free*. `SegmentPlan+Schedule.swift` chooses a connection's
/// next bytes; `SlowConnectionPolicy` decides which connections to replace.
struct SegmentPlan: Sendable {
    /// The file's length in bytes; `nil` until a stream without a length has ended.
    private(set) var total: Int64?

    /// The bytes on disk.
    private(set) var written: ByteRangeSet

    /// The segments of active connections.
    private(set) var segments = SegmentList()

    /// The unassigned bytes, each range the share of one connection.
    private(set) var free: [ByteRange]

    /// True if bytes on disk may be received and written again. False if their source is recorded, or if they
    /// have been verified.
    var mayRewrite = true

    /// The caller's minimum segment size, in bytes.
    var minimum: Int64 = 1

    /// The pieces of a file that is fetched in order; `nil` if the order does not matter, or if one
    /// connection fetches everything. A piece is cut when it is assigned to a connection.
    var pieces: OrderedPieces?

    /// The distance of the server; `nil` if round trips do not matter, or pieces are fetched in order.
    private(set) var distance: ServerDistance?

    var line = LineState()
    /// True if round trips to the server matter, in whatever order the bytes are fetched.
    private(set) var isFar = false
    /// The end of the bytes for which space is currently available: only pieces below it are assigned. `nil`
    /// if all fit.
    var horizon: Int64?

    /// Records the speeds of connections, and decides which are too slow.
    var policy = SlowConnectionPolicy()

    /// The speed of the first connection before others were added.
    private(set) var solo = SoloSpeed()

    /// The number of connections that have received all requested bytes but have sent no new request. The
    /// server is known to serve them.
    private(set) var idle = 0

    /// Chooses connections to replace because of packet loss.
    var renewal = RenewalRule()

    /// The request that determines whether a silent connection is the cause of its silence; `nil` for none.
    var parallelTrial: ParallelTrial?

    private var nextID = 0

    /// - Parameters:
    ///   - total: The length in bytes, or `nil` for a stream that ends when the connection is closed.
    ///   - written: The bytes that an earlier run left on disk.
    init(total: Int64?, written: ByteRangeSet = ByteRangeSet()) {
        self.total = total
        self.written = written
        let whole = 0..<(total ?? Int64.max)
        free = Array(ByteRangeSet(whole).subtracting(written).ranges)
    }

    /// True if every byte is on disk.
    var isComplete: Bool {
        guard let total else { return false }
        return total == 0 || written.ranges.first == 0..<total
    }

    /// The offset of the first byte that is not on disk, or `nil` if none is missing.
    var firstMissing: Int64? { gaplessEnd == total ? nil : gaplessEnd }

    /// The offset below which everything is on disk.
    var gaplessEnd: Int64 { written.ranges.first.map { $0.lowerBound > 0 ? 0 : $0.upperBound } ?? 0 }

    /// The number of connections that were given up, but whose requests still await a response.
    var unanswered: Int { segments.values.count { $0.isRecalled && !$0.isAnswered } }

    /// The number of connections that have a response.
    var receiving: Int { segments.values.count { $0.isAnswered } }

    // MARK: Assigning

    /// Divides the free bytes into nearly equal shares, one for each of `connections` connections.
    ///
    /// - Parameter minimum: The minimum size, in bytes, of a share that is created.
    mutating func divide(among connections: Int, minimum: Int64) {
        guard total != nil, pieces == nil else { return }
        free = Division(connections: connections, minimum: minimum).equal(free)
    }

    /// Sets the distance of the server, before any bytes are assigned.
    mutating func note(_ distance: ServerDistance?) {
        guard let distance, distance.isFar else { return }
        isFar = true
        guard pieces == nil else { return }
        self.distance = distance
        policy.roundTrip = distance.roundTrip
    }

    /// The current distance of the server.
    var currentDistance: ServerDistance? {
        distance.map { distance in line.roundTrip.map(distance.withQueue) ?? distance }
    }

    /// Divides the free bytes into shares for connections that begin immediately. The first one has already
    /// begun, so it is assigned more of a file that is fetched before the others reach their full speed.
    ///
    /// - Parameters:
    ///   - minimum: The same as for `divide(among:minimum:)`.
    ///   - setup: The seconds until the first bytes of the other connections; `nil` if these must be opened.
    ///   - lastWaits: True if the last connection cannot begin before a search for a proof has ended: two
    ///     requests over connections of their own. Its share is smaller.
    mutating func divideByDistance(
        among connections: Int, minimum: Int64, setup: Double? = nil, lastWaits: Bool = false
    ) {
        guard let distance, connections > 1, let whole = free.first, free.count == 1 else {
            return divide(among: connections, minimum: minimum)
        }
        let ownTrips = distance.longestSetup(setupTime) / distance.roundTrip
        let division = DistanceDivision(
            connections: connections, minimum: minimum,
            trips: setup.map { $0 / distance.roundTrip } ?? ownTrips,
            lateness: lastWaits ? 2 * ownTrips : nil)
        if let shares = division.shares(of: whole) { free = shares }
    }

    /// Divides the free bytes into pieces to fetch in order, so that the contiguous bytes on disk from the
    /// start of the file are never far behind.
    mutating func divideInOrder(among connections: Int, minimum: Int64) {
        guard total != nil, pieces == nil else { return }
        free = Division(connections: connections, minimum: minimum).ordered(free)
    }

    /// Assigns the free range that starts at `offset`, where a response that is already open begins.
    ///
    /// - Parameter bodyEnd: The end of that response's body, which may be beyond the segment.
    /// - Returns: `nil` if no byte there is free; the response's body is then useless.
    mutating func assign(at offset: Int64, bodyEnd: Int64? = nil, now: Double) -> Segment? {
        guard let index = free.firstIndex(where: { $0.contains(offset) }) else { return nil }
        let range = free[index]
        free[index] = range.lowerBound..<offset
        let segment = add(
            piece(of: offset..<range.upperBound, at: index + 1, now: now), bodyEnd: bodyEnd, now: now)
        if free[index].isEmpty { free.remove(at: index) }
        answered(segment.id, now: now)
        return segments[segment.id]
    }

    /// Assigns the first free range, or, in order, the first piece of the lowest one; `nil` for none.
    mutating func assignFirstFree(now: Double) -> Segment? {
        guard pieces != nil else { return free.isEmpty ? nil : add(free.removeFirst(), now: now) }
        guard let index = free.indices.min(by: { free[$0].lowerBound < free[$1].lowerBound }),
            hasRoom(for: firstPiece(of: free[index], now: now))
        else { return nil }
        return add(piece(of: free.remove(at: index), at: index, now: now), now: now)
    }

    /// A piece is not shortened to fit, because each piece costs a request.
    private func hasRoom(for piece: ByteRange) -> Bool { piece.upperBound <= horizon ?? .max }

    private func firstPiece(of range: ByteRange, now: Double) -> ByteRange {
        pieces?.first(of: range, speed: policy.typicalSpeed(of: segments, now: now)) ?? range
    }

    /// Returns the first piece of a range, and frees the rest.
    ///
    /// - Parameter index: The index of the rest in `free`.
    private mutating func piece(of range: ByteRange, at index: Int, now: Double) -> ByteRange {
        let piece = firstPiece(of: range, now: now)
        if piece.upperBound < range.upperBound { free.insert(piece.upperBound..<range.upperBound, at: index) }
        return piece
    }

    /// Assigns the tail of an active segment, from `cut` on, to another connection.
    mutating func assignTail(of victim: Segment, from cut: Int64, now: Double) -> Segment {
        segments[victim.id]?.end = cut
        return add(piece(of: cut..<victim.end, at: 0, now: now), now: now)
    }

    private mutating func add(_ range: ByteRange, bodyEnd: Int64? = nil, now: Double) -> Segment {
        let segment = Segment(
            id: nextID, start: range.lowerBound, claimed: range.lowerBound,
            received: range.lowerBound, end: range.upperBound, bodyEnd: bodyEnd ?? range.upperBound,
            began: now)
        nextID += 1
        idle = max(0, idle - 1)
        if parallelTrial?.range.contains(range.lowerBound) ?? false { parallelTrial?.isOpen = false }
        // Without a connection, none could be silent.
        if segments.isEmpty { policy.firstBegan(now: now) }
        segments[segment.id] = segment
        return segment
    }

    // MARK: Receiving

    /// Records that the response for a segment has been accepted. If its connection was given up because it
    /// had no response, it keeps the bytes that no other connection fetches.
    mutating func answered(_ id: Segment.ID, now: Double) {
        segments[id]?.isAnswered = true
        line.answers += 1
        guard let segment = segments[id], segment.isRecalled, segment.mayResume, segment.firstByteAt == nil,
            let index = free.firstIndex(where: { $0.lowerBound == segment.start })
        else { return }
        let range = free.remove(at: index)
        let end = min(range.upperBound, segment.bodyEnd)
        if end < range.upperBound { free.insert(end..<range.upperBound, at: index) }
        segments[id]?.resume(upTo: end, now: now)
    }

    /// Returns the known offset up to which a segment's connection receives bytes. It continues into an
    /// adjoining share that no connection has requested.
    func reach(of segment: Segment, now: Double) -> Int64 {
        guard !segment.isCut, !segment.isRecalled, segment.end < segment.bodyEnd,
            let next = free.first(where: { $0.lowerBound == segment.end })
        else { return segment.end }
        let share = firstPiece(of: next, now: now)
        let isInTurn =
            pieces == nil || free.allSatisfy { $0.lowerBound >= share.lowerBound } && hasRoom(for: share)
        return isInTurn ? min(share.upperBound, segment.bodyEnd) : segment.end
    }

    /// Reserves the next bytes of a segment for its connection. From now on they cannot be stolen.
    ///
    /// - Parameter atMost: The maximum number of bytes, at least 1.
    /// - Returns: The claimed range, or `nil` if the segment has reached its end.
    mutating func claim(_ id: Segment.ID, atMost: Int64, now: Double) -> ByteRange? {
        guard var segment = segments[id] else { return nil }
        if segment.remaining == 0 {
            if takeBackTrial(of: segment) { segment.isCut = false }
            takeBackUnanswered(behind: segment, now: now)
            continueBehind(&segment, now: now)
        }
        guard segment.remaining > 0 else { return nil }
        if segment.firstByteAt == nil { policy.firstByteCame(after: now - segment.began) }
        let range = segment.claimed..<(segment.claimed + min(atMost, segment.remaining))
        line.received(max(0, range.lowerBound - segment.received))
        if let wait = segment.arrived(upTo: range.lowerBound, roundTrip: distance?.roundTrip, now: now) {
            policy.ended(wait, now: now)
        }
        solo.note(id, upTo: range.lowerBound, now: now)
        segment.claimed = range.upperBound
        segments[id] = segment
        policy.bytesCame(now: now)
        return range
    }

    private mutating func continueBehind(_ segment: inout Segment, now: Double) {
        let reach = reach(of: segment, now: now)
        guard reach > segment.end, let index = free.firstIndex(where: { $0.lowerBound == segment.end })
        else { return }
        let range = free.remove(at: index)
        if reach < range.upperBound { free.insert(reach..<range.upperBound, at: index) }
        segment.end = reach
    }

    /// Records the offset up to which a segment's bytes have been received.
    ///
    /// - Returns: True if its connection must be given up.
    mutating func note(_ id: Segment.ID, received: Int64, now: Double) -> Bool {
        guard var segment = segments[id] else { return true }
        if segment.firstByteAt != nil { solo.note(id, upTo: received, now: now) }
        if received > segment.received {
            line.received(received - segment.received)
            if let wait = segment.arrived(upTo: received, roundTrip: distance?.roundTrip, now: now) {
                policy.ended(wait, now: now)
            }
            segments[id] = segment
            policy.bytesCame(now: now)
        }
        // The bytes after a cut no longer belong to it, and a later byte that would end it may never arrive.
        return segment.isRecalled || segment.isCut && received >= segment.end
    }

    /// Takes back the bytes that a connection has claimed but not received for a while, if these are all of
    /// its remaining bytes, so that another connection can fetch them.
    ///
    /// - Parameter received: The end of the received bytes.
    /// - Returns: The new end of its claims; `nil` if it keeps them.
    mutating func takeBackClaims(of id: Segment.ID, from received: Int64, now: Double) -> Int64? {
        guard let segment = segments[id], !segment.isRecalled, segment.claimed > received,
            segment.remaining == 0,
            let lastByteAt = segment.lastByteAt,
            now - lastByteAt >= SlowConnectionThresholds.longestPauseSeconds
        else { return nil }
        segments[id]?.claimed = received
        return received
    }

    /// Records bytes that are now on disk.
    mutating func wrote(_ range: ByteRange) {
        written.insert(contentsOf: range)
    }

    /// Revokes bytes on disk that are not part of the file.
    mutating func unwrite(_ range: ByteRange) {
        let bytes = written.intersection(ByteRangeSet(range))
        written.subtract(bytes)
        // Bytes within an active segment become free when it ends, like all bytes that it has not written.
        let assigned = ByteRangeSet(segments.values.map { $0.start..<max($0.start, $0.end) })
        free.insert(contentsOf: bytes.subtracting(assigned).ranges, at: 0)
    }

    // MARK: Ending

    /// Ends a segment for any reason. The bytes that it did not write become free again.
    mutating func release(_ id: Segment.ID, now: Double) {
        guard let segment = segments[id] else { return }
        segments[id] = nil
        let end = min(segment.end, total ?? Int64.max)
        var missing = segment.start < end ? written.gaps(in: segment.start..<end) : ByteRangeSet()
        policy.ended(segment, isWhole: missing.isEmpty, now: now)
        // The last bytes are written before they are recorded as received.
        if missing.isEmpty, !segment.isRecalled, segment.end == segment.bodyEnd { idle += 1 }
        guard segment.start < end else { return }
        // The bytes after its claims are already free, and one request suffices for both.
        if segment.isRecalled, let rest = free.firstIndex(where: { $0.lowerBound == end }) {
            missing.insert(contentsOf: free.remove(at: rest))
        }
        // Returned bytes are assigned first, because they have waited longest.
        free.insert(contentsOf: missing.ranges, at: 0)
        if segment.isRecalled { relyOnOnlyConnection(now: now) }
    }

    /// Cuts a segment at the end of its claimed bytes. Its connection will end soon, and the rest is free.
    mutating func cut(_ id: Segment.ID) {
        if let segment = segments[id] { cut(id, at: segment.claimed) }
    }

    /// Ends a segment at `offset`, which is not below the end of its claims. The rest is free.
    mutating func cut(_ id: Segment.ID, at offset: Int64) {
        guard let segment = segments[id], offset < segment.end else { return }
        segments[id]?.end = offset
        segments[id]?.isCut = true
        // The segment may have been about to receive bytes again that are already on disk.
        free.insert(contentsOf: written.gaps(in: offset..<segment.end).ranges, at: 0)
    }

    /// Cuts the segment with the most bytes left.
    mutating func cutLongest() {
        let longest = segments.values.max { ($0.remaining, $1.id) < ($1.remaining, $0.id) }
        if let longest { cut(longest.id) }
    }

    /// Gives up connections. Each ends immediately, which frees the bytes that it has not received.
    ///
    /// - Parameter mayResume: True if a late response is as good as a timely one. False if the connections'
    ///   source must no longer be used, which also applies to connections that were already given up.
    mutating func recall(_ ids: some Sequence<Segment.ID>, mayResume: Bool = false) {
        for id in ids {
            if !mayResume { segments[id]?.mayResume = false }
            guard segments[id]?.isRecalled == false else { continue }
            cut(id)
            segments[id]?.isRecalled = true
            segments[id]?.mayResume = mayResume
        }
    }

    /// Lets active connections continue into the free bytes directly after their segments, up to the end of
    /// their responses. Used for bytes that are not assigned to another connection: bytes that arrive without
    /// a separate request cost nothing.
    mutating func continueIntoFree(now: Double) {
        let before = free
        defer {
            // A steal would only be refused as well, and the segment might end before that is known.
            if free != before { policy.pauseSteals(now: now) }
        }
        for segment in segments.values where !segment.isRecalled {
            var end = segment.end
            let most = min(segment.bodyEnd, horizon ?? .max)
            while end < most, let index = free.firstIndex(where: { isReachable($0, from: end) }) {
                let range = free.remove(at: index)
                end = min(range.upperBound, most)
                if end < range.upperBound { free.insert(end..<range.upperBound, at: index) }
            }
            segments[segment.id]?.end = end
        }
    }

    private static let widestBridge: Int64 = 1024 * 1024

    /// Returns true if only a few bytes in between are already on disk, so that receiving them again costs
    /// less than a refusal.
    private func isReachable(_ range: ByteRange, from end: Int64) -> Bool {
        guard range.lowerBound >= end, range.lowerBound - end <= Self.widestBridge else { return false }
        return range.lowerBound == end || mayRewrite && written.gaps(in: end..<range.lowerBound).isEmpty
    }

    /// Records that the server has ended a stream of unknown length, which determines the file's length.
    mutating func streamEnded(at length: Int64) {
        total = length
        free = []
        for id in segments.ids { segments[id]?.end = length }
    }

    /// Discards all segments and written bytes, for a stream that restarts at its first byte.
    mutating func startOver() { self = SegmentPlan(total: total) }
}
