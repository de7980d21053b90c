internal import Logging
import SegmentedDLSupport

/// The sources of one file during its download: the source of each connection and of each written byte, and
/// the excluded sources. Also used for a single source.
final class SourceSet: Sendable {
    typealias Index = Source.Index

    /// One source, with the state of its connections.
    struct Member: Sendable {
        let client: SourceClient
        let identity: RemoteIdentity
    }

    struct State: Sendable {
        var selector: SourceSelector
        var attribution = Attribution()
        /// The number of connections of each source that wait for a permit: the scheduler does not count them
        /// yet.
        var waiting: [Int]
        /// The sources whose bytes may be used because they match those on disk.
        var trusted: Set<Index>
        /// The sources that were excluded because they differ from others, which may be the corrupt ones.
        var differing: Set<Index> = []
        /// The reason why each excluded source was excluded, or its last failure.
        var failures: [Index: TransferFailure] = [:]
        var suspects = SuspectSearch()
        var evidence = PieceEvidence()
    }

    let members: [Member]
    /// The source that answered first: its description of the file is authoritative.
    let primary: Index
    /// True if the first response indicated support for ranges.
    let acceptRanges: Bool
    /// True to record the source of each byte.
    let areToldApart: Bool
    /// True if a digest of the whole file is known, which detects a wrong file.
    let hasDigest: Bool
    let logger: Logger
    let state: Lock<State>

    /// - Parameters:
    ///   - clients: One for each source, in order of preference.
    ///   - written: The bytes left by an earlier run.
    ///   - hasDigest: True if a digest of the whole file is known.
    ///   - hasPieces: True if each piece of the file has a digest, so that sources need not be compared.
    init(
        _ clients: [SourceClient], primary: Index, resource: ResourceInfo, written: ByteRangeSet,
        policy: RetryPolicy, hasDigest: Bool, hasPieces: Bool
    ) {
        self.primary = primary
        self.hasDigest = hasDigest
        acceptRanges = resource.acceptsRanges
        areToldApart = clients.count > 1 || hasPieces
        members = clients.enumerated().map { index, client in
            Member(
                client: client,
                identity: index == primary
                    ? RemoteIdentity(resource)
                    : RemoteIdentity(length: resource.length, type: resource.contentType))
        }
        logger = clients[primary].logger
        var state = State(
            selector: SourceSelector(count: clients.count, policy: policy),
            waiting: Array(repeating: 0, count: clients.count),
            trusted: hasPieces ? Set(clients.indices) : [primary])
        for range in written.ranges { state.attribution.wrote(range, by: Attribution.earlierRun) }
        self.state = Lock(state)
    }

    /// True if there is more than one source.
    var isChoice: Bool { members.count > 1 }

    /// The number of different hosts.
    var hosts: Int { Set(members.map(\.client.source.origin)).count }

    /// The file's slot at the scheduler, which all sources share.
    var slot: FileSlot { members[primary].client.slot }

    /// True if a rate limit of this program is delaying bytes, or did in the last `seconds`.
    func areHeldBack(within seconds: Double, now: Double) -> Bool {
        members[primary].client.isHeldBack(within: seconds, now: now)
    }

    /// Returns true if a rate limit is so low that a connection may receive nothing for seconds.
    func areStarved(within seconds: Double, connections: Int, now: Double) -> Bool {
        members[primary].client.isStarved(within: seconds, connections: connections, now: now)
    }

    /// True if there is only one source, and the bodies from its host arrive without pauses.
    var isSteady: Bool { !isChoice && members[primary].client.isSteady }

    func name(_ source: Index) -> String {
        source == Attribution.earlierRun
            ? "an earlier run" : members[source].client.source.description
    }

    // MARK: Which source

    /// Returns the source for one more connection, and the seconds to wait; `nil` if it must wait for a
    /// change.
    ///
    /// - Parameter isOnly: True if no other connection exists, so that this one must wait for a source.
    func next(wanted: Int, isOnly: Bool, now: Double) -> (source: Index, wait: Double)? {
        let rooms = rooms()
        return state.withLock { state in
            var turn = state.selector.next(rooms: rooms, wanted: wanted, now: now).map { ($0, 0.0) }
            if turn == nil, isOnly { turn = state.selector.earliest(now: now) }
            guard let turn else { return nil }
            state.selector.opened(turn.0)
            state.waiting[turn.0] += 1
            return turn
        }
    }

    /// The number of further connections that the host of each source accepts, not counting those that wait
    /// for a permit.
    private func rooms() -> [Int] {
        guard isChoice else { return [] }
        let waiting = state.withLock { $0.waiting }
        let hosts = members.map(\.client.target.origin)
        return members.indices.map { index in
            let ahead = members.indices.reduce(0) { $0 + (hosts[$1] == hosts[index] ? waiting[$1] : 0) }
            return members[index].client.room - ahead
        }
    }

    /// Records that the connection of the first response continues with this segment.
    func firstConnectionBegan(_ segment: Segment.ID) {
        state.withLock { state in
            state.selector.opened(primary)
            state.attribution.assign(segment, to: primary)
        }
    }

    /// Records that a connection is waiting for a permit again.
    func connectionWaits(at source: Index) {
        state.withLock { $0.waiting[source] += 1 }
    }

    /// Records that a connection has a permit, or does not need one.
    func connectionGranted(at source: Index) {
        state.withLock { $0.waiting[source] -= 1 }
    }

    /// Records that a connection has ended.
    func connectionEnded(at source: Index) {
        state.withLock { $0.selector.closed(source) }
    }

    /// Returns true if a connection that has completed a segment should switch to another source.
    func hasFasterAlternative(to source: Index, wanted: Int, now: Double) -> Bool {
        let rooms = rooms()
        return state.withLock { state in
            state.selector.hasFasterAlternative(to: source, rooms: rooms, wanted: wanted, now: now)
        }
    }

    /// Returns a source whose connection should be replaced, because one to another source would be much
    /// faster.
    func slowest(now: Double) -> (source: Index, instead: Double)? {
        guard isChoice else { return nil }
        let rooms = rooms()
        return state.withLock { $0.selector.slowest(rooms: rooms, now: now) }
    }

    func isUsable(_ source: Index) -> Bool { state.withLock { $0.selector.isUsable(source) } }

    // MARK: Assignment of segments

    func assigned(_ segment: Segment.ID, to source: Index) {
        state.withLock { $0.attribution.assign(segment, to: source) }
    }

    func released(_ segment: Segment.ID) {
        state.withLock { $0.attribution.release(segment) }
    }

    func source(of segment: Segment.ID) -> Index? { state.withLock { $0.attribution.source(of: segment) } }

    func contributed(_ range: ByteRange, by source: Index) {
        state.withLock { $0.attribution.wrote(range, by: source) }
    }

    /// Removes all records, because a stream restarts at the first byte.
    func startOver() {
        state.withLock { $0.attribution.removeAll() }
    }

    /// Records the speeds of connections, and those that have just been abandoned.
    func observe(_ segments: [Segment], givenUp: [Segment.ID], now: Double) {
        state.withLock { state in
            state.selector.observe(segments, givenUp: givenUp, of: state.attribution, now: now)
        }
    }

    // MARK: Failures

    /// Decides what to do after a connection's failure. With only one source, the result is always `isOnly`,
    /// except for disk errors.
    ///
    /// - Throws: `TransferFailure` if no source is left, or others would fail as well.
    func failed(
        _ failure: TransferFailure, _ source: Index, plan: SharedPlan, now: Double
    ) throws -> SourceSelector.Verdict {
        switch failure {
        case .storage, .other: throw failure
        default: break
        }
        // Other connections of a source that is already excluded change nothing.
        guard isUsable(source) else { return .demoted }
        let answered = plan.snapshot.segments.values.filter(\.isAnswered)
        let (verdict, hasDelivered) = state.withLock { state in
            let others = answered.count { state.attribution.source(of: $0.id) == source }
            let delivered = state.attribution[source].byteCount
            let verdict = state.selector.failed(
                source, failure, others: others, delivered: delivered, now: now)
            if verdict != .isOnly { state.failures[source] = failure }
            return (verdict, delivered > 0)
        }
        guard verdict != .isOnly else { return verdict }
        logger.tell(event(failure, source, isExcluded: verdict == .excluded, hasDelivered: hasDelivered))
        if verdict == .excluded { giveUpConnections(of: source, plan) }
        try checkAnyIsLeft()
        return verdict
    }

    private func event(
        _ failure: TransferFailure, _ source: Index, isExcluded: Bool, hasDelivered: Bool
    ) -> TransferEvent {
        let place = members[source].client.source
        guard isExcluded else { return .sourcePassedOver(failure, place) }
        // A source that has sent no byte of the file did not change: it never had the file.
        if case .changed(let what) = failure, !hasDelivered { return .sourceDiffers(what, place) }
        return .sourceDropped(failure, place)
    }

    /// Returns the error that ends the download after the last source has failed.
    func error(_ failure: TransferFailure, endsAt source: Index) -> TransferFailure {
        state.withLock { state in
            state.selector.exclude(source)
            state.failures[source] = failure
            return cause(state.failures)
        }
    }

    /// - Throws: `TransferFailure` if no source is left.
    func checkAnyIsLeft() throws {
        let (isOver, failures) = state.withLock { ($0.selector.usable.isEmpty, $0.failures) }
        if isOver { throw cause(failures) }
    }

    /// The failure that stands for those of all sources.
    private func cause(_ failures: [Index: TransferFailure]) -> TransferFailure {
        if case .rangeIgnored? = failures[primary] { return .rangeIgnored }
        if !failures.isEmpty, failures.values.allSatisfy(\.isOfRanges) { return .rangeIgnored }
        for failure in failures.values {
            if case .changed = failure { return failure }
        }
        return failures[primary] ?? failures.values.first ?? .unproven
    }

    func giveUpConnections(of source: Index, _ plan: SharedPlan) {
        let segments = state.withLock { $0.attribution.segments(of: source) }
        plan.withLock { plan, _ in plan.recall(segments) }
    }
}
