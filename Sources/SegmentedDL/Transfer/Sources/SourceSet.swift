internal import Logging
import SegmentedDLSupport

/// The sources of one file while it is downloaded: which connection goes where, who wrote what, and who is not asked
/// any more.
final class SourceSet: Sendable {
    typealias Index = Source.Index

    /// One source, as its connections need it.
    struct Member: Sendable {
        let requester: SourceClient
        let identity: RemoteIdentity
    }

    private struct State {
        var choice: SourceSelector
        var contributions = Contributions()
        /// Who fetches which segment.
        var assigned: [Segment.ID: Index] = [:]
        /// Connections that wait for their permit: the scheduler does not know them yet.
        var pending: [Int]
        /// How many bytes each source had delivered when it failed last.
        var deliveredAtFailure: [Int64]
        /// Those whose bytes may be used, by a comparison with what is on disk.
        var vouched: Set<Index>
        /// Those that were expelled because they differ from others: it may be the others that are wrong.
        var differing: Set<Index> = []
        /// Those that have been suspected of a wrong digest, in turn.
        var suspected: [Index] = []
        /// Why each expelled source was.
        var failures: [Index: TransferFailure] = [:]
        /// Digests of what each source wrote of a wrong piece.
        var testimonies: [ByteRange: [PieceCheck.Testimony]] = [:]
        var wrongPieces: [ByteRange: Int] = [:]
    }

    /// How many times a piece may be wrong before the download is given up.
    private static let mostWrong = 6

    let members: [Member]
    /// The source that the first answer came from: what it said of the file counts.
    let home: Index
    private let logger: Logger
    private let state: Lock<State>

    /// - Parameters:
    ///   - requesters: One for each source, in order of preference.
    ///   - vouchesForAll: Whether each piece has a digest, so that no source needs to be compared with another one.
    init(
        _ requesters: [SourceClient], home: Index, resource: ResourceInfo, written: ByteRangeSet,
        policy: RetryPolicy, vouchesForAll: Bool
    ) {
        self.home = home
        members = requesters.enumerated().map { index, requester in
            Member(
                requester: requester,
                identity: index == home ? RemoteIdentity(resource) : RemoteIdentity(length: resource.length))
        }
        logger = requesters[home].logger
        var contributions = Contributions()
        for range in written.ranges { contributions.wrote(range, by: Contributions.earlier) }
        state = Lock(
            State(
                choice: SourceSelector(count: requesters.count, policy: policy), contributions: contributions,
                pending: Array(repeating: 0, count: requesters.count),
                deliveredAtFailure: Array(repeating: 0, count: requesters.count),
                vouched: vouchesForAll ? Set(requesters.indices) : [home]))
    }

    /// How many different hosts there are.
    var hosts: Int { Set(members.map(\.requester.source.origin)).count }

    private func name(_ source: Index) -> String { members[source].requester.source.description }

    // MARK: Which source

    private func rooms(_ pending: [Int]) -> [Int] {
        let hosts = members.map(\.requester.target.origin)
        return members.indices.map { index in
            let waiting = members.indices.reduce(0) { $0 + (hosts[$1] == hosts[index] ? pending[$1] : 0) }
            return members[index].requester.room - waiting
        }
    }

    /// Where one more connection goes, and after how many seconds; `nil` if it has to wait for a change.
    ///
    /// - Parameter isOnly: Whether there is no other connection, so that this one waits for a source in any case.
    func next(wanted: Int, isOnly: Bool, now: Double) -> (source: Index, wait: Double)? {
        let pending = state.withLock { $0.pending }
        let rooms = rooms(pending)
        return state.withLock { state in
            var turn = state.choice.next(rooms: rooms, wanted: wanted, now: now).map { ($0, 0.0) }
            if turn == nil, isOnly { turn = state.choice.earliest(now: now) }
            guard let turn else { return nil }
            state.choice.opened(turn.0)
            state.pending[turn.0] += 1
            return turn
        }
    }

    /// The connection of the first answer goes on.
    func openedFirst() {
        state.withLock { $0.choice.opened(home) }
    }

    /// A connection has its permit, or does without.
    func granted(_ source: Index) {
        state.withLock { $0.pending[source] -= 1 }
    }

    func closed(_ source: Index) {
        state.withLock { $0.choice.closed(source) }
    }

    /// Whether a connection that has ended a segment is better used at another source.
    func isOutdone(_ source: Index, wanted: Int, now: Double) -> Bool {
        let rooms = rooms(state.withLock { $0.pending })
        return state.withLock { $0.choice.isOutdone(source, rooms: rooms, wanted: wanted, now: now) }
    }

    /// The source whose connection another one would do better.
    func slowest(now: Double) -> (source: Index, instead: Double)? {
        let rooms = rooms(state.withLock { $0.pending })
        return state.withLock { $0.choice.slowest(rooms: rooms, now: now) }
    }

    func isUsable(_ source: Index) -> Bool { state.withLock { $0.choice.isUsable(source) } }

    // MARK: Who fetches what

    func assigned(_ segment: Segment.ID, to source: Index) {
        state.withLock { $0.assigned[segment] = source }
    }

    func ended(_ segment: Segment.ID) {
        state.withLock { _ = $0.assigned.removeValue(forKey: segment) }
    }

    func source(of segment: Segment.ID) -> Index? { state.withLock { $0.assigned[segment] } }

    func contributed(_ range: ByteRange, by source: Index) {
        state.withLock { $0.contributions.wrote(range, by: source) }
    }

    /// Notes how fast connections are, and which of them were given up since the last time.
    ///
    /// - Parameter givenUp: Segments whose connection was too slow or silent.
    func observe(_ segments: [Segment], givenUp: [Segment], now: Double) {
        state.withLock { state in
            let working = segments.filter { !$0.isRecalled }
            for source in members.indices {
                let own = working.filter { state.assigned[$0.id] == source }
                let speeds = own.compactMap { $0.speed(at: now) }
                if !speeds.isEmpty {
                    state.choice.measured(
                        source, speed: speeds.reduce(0, +) / Double(speeds.count), now: now)
                }
                // One bad connection of several is not the source's fault.
                if own.isEmpty, givenUp.contains(where: { state.assigned[$0.id] == source }) {
                    state.choice.fellSilent(source, now: now)
                }
            }
        }
    }

    // MARK: Whom to trust

    func isVouched(_ source: Index) -> Bool { state.withLock { $0.vouched.contains(source) } }

    func vouch(_ source: Index) {
        state.withLock { _ = $0.vouched.insert(source) }
    }

    /// It has other bytes than what is on disk.
    func differs(_ source: Index) {
        state.withLock { _ = $0.differing.insert(source) }
    }

    // MARK: Failures

    /// Decides what follows a connection's failure.
    ///
    /// - Throws: `TransferFailure` if no source is left.
    func judge(_ failure: TransferFailure, from source: Index, plan: SharedPlan, now: Double) throws {
        switch failure {
        case .storage, .other: throw failure
        default: break
        }
        let others = plan.snapshot.segments.values.filter(\.isAnswered)
        let verdict = state.withLock { state in
            let bytes = state.contributions[source].byteCount
            if bytes > state.deliveredAtFailure[source] {
                state.choice.delivered(source)
                state.deliveredAtFailure[source] = bytes
            }
            state.failures[source] = failure
            guard state.choice.isUsable(source) else { return SourceSelector.Verdict.demoted }
            return state.choice.failed(
                source, failure, others: others.count { state.assigned[$0.id] == source },
                hasDelivered: bytes > 0, now: now)
        }
        logger.debug("\(name(source)): \(failure) -> \(verdict)")
        if verdict == .expelled { told(source, failure, plan) }
        try checkAnyIsLeft()
    }

    /// - Throws: `TransferFailure` if no source is left.
    func checkAnyIsLeft() throws {
        let (isOver, failures) = state.withLock { ($0.choice.usable.isEmpty, $0.failures) }
        guard isOver else { return }
        if case .rangeIgnored? = failures[home] { throw TransferFailure.rangeIgnored }
        for failure in failures.values {
            if case .changed = failure { throw failure }
        }
        throw failures[home] ?? failures.values.first ?? TransferFailure.unproven
    }

    private func told(_ source: Index, _ failure: TransferFailure, _ plan: SharedPlan) {
        let why = failure.error(for: members[source].requester.source, file: name(source)).message
        logger.notice("This source is not used any more: \(why)")
        giveUpConnections(of: source, plan)
    }

    private func giveUpConnections(of source: Index, _ plan: SharedPlan) {
        let segments = state.withLock { state in state.assigned.filter { $0.value == source }.map(\.key) }
        plan.withLock { plan, _ in plan.giveUp(segments) }
    }

    /// It sent bytes that are not the file's.
    func expelLiar(_ source: Index, _ what: String, plan: SharedPlan) {
        guard source != Contributions.earlier, isUsable(source) else { return }
        state.withLock { state in
            state.choice.expel(source)
            state.failures[source] = .other(
                DownloadError(
                    .checksumMismatch, "\(name(source)): it sends wrong bytes (\(what)).", url: name(source)))
        }
        logger.notice("\(name(source)) sent wrong bytes (\(what)); it is not used any more")
        giveUpConnections(of: source, plan)
    }

    // MARK: Digests of pieces

    /// A piece is wrong.
    ///
    /// - Parameter digest: The digest of some bytes as they are on disk now.
    func isWrong(_ piece: ByteRange, plan: SharedPlan, digest: (ByteRange) -> String?) {
        let authors = state.withLock { $0.contributions.within(piece) }
        let testimonies = authors.flatMap { source, ranges in
            ranges.ranges.map { PieceCheck.Testimony(source: source, range: $0, digest: digest($0)) }
        }
        let times = state.withLock { state in
            state.contributions.remove(piece)
            state.testimonies[piece, default: []] += testimonies
            state.wrongPieces[piece, default: 0] += 1
            return state.wrongPieces[piece] ?? 0
        }
        // Who wrote all of it is found out; of several it shows once the piece is right.
        if authors.count == 1, let only = authors.first?.key {
            expelLiar(only, "bytes \(piece.lowerBound) to \(piece.upperBound - 1)", plan: plan)
        } else if times >= Self.mostWrong {
            for source in authors.keys { expelLiar(source, "the same piece again and again", plan: plan) }
        }
    }

    /// A piece is right: who wrote something else there before did wrong.
    func isRight(_ piece: ByteRange, plan: SharedPlan, digest: (ByteRange) -> String?) {
        let testimonies = state.withLock { $0.testimonies.removeValue(forKey: piece) } ?? []
        for testimony in testimonies where digest(testimony.range) != testimony.digest {
            let range = testimony.range
            expelLiar(
                testimony.source, "bytes \(range.lowerBound) to \(range.upperBound - 1)", plan: plan)
        }
    }

    // MARK: A wrong digest of the whole

    /// The next source to be suspected of having made the file's digest wrong, and the bytes to fetch again without it.
    ///
    /// The one with the fewest bytes comes first. If it is not the one, it is asked again, and the next one's turn
    /// comes, with all that it wrote since: a single liar is found at the latest when all have had theirs.
    func nextSuspect() -> (name: String, ranges: ByteRangeSet)? {
        state.withLock { state in
            let contributors = state.contributions.contributors
            // Those that differ from a liar may be right, and nobody is compared with it any more.
            for source in state.differing { state.choice.readmit(source) }
            state.differing = []
            state.vouched = Set(members.indices)
            if let last = state.suspected.last, last != Contributions.earlier {
                state.choice.readmit(last)
            }
            guard let suspect = contributors.first(where: { !state.suspected.contains($0) }),
                state.choice.usable.contains(where: { $0 != suspect })
            else { return nil }
            state.suspected.append(suspect)
            if suspect != Contributions.earlier { state.choice.expel(suspect) }
            let ranges = state.contributions[suspect]
            for range in ranges.ranges { state.contributions.remove(range) }
            return (suspect == Contributions.earlier ? "an earlier run" : name(suspect), ranges)
        }
    }

    /// The digest is right now.
    func suspicionWasRight() {
        guard let last = state.withLock({ $0.suspected.last }) else { return }
        let name = last == Contributions.earlier ? "an earlier run" : name(last)
        logger.notice("The wrong bytes were those of \(name); only they were fetched again")
    }
}
