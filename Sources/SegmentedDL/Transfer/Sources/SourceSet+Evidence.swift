internal import Logging
import SegmentedDLSupport

/// The comparison of sources, and the search for the one that sent wrong bytes.
extension SourceSet {
    func isTrusted(_ source: Index) -> Bool { state.withLock { $0.trusted.contains(source) } }

    func trust(_ source: Index) {
        let isNew = state.withLock { $0.trusted.insert(source).inserted }
        if isNew, !hasDigest, members[primary].identity.hasOtherDate(than: members[source].identity) {
            logger.tell(.sourceOfOtherDate(members[source].client.source))
        }
    }

    /// Records that a source's bytes differ from those on disk.
    func differs(_ source: Index) {
        state.withLock { _ = $0.differing.insert(source) }
    }

    /// Excludes a source that sent wrong bytes.
    private func excludeCorruptSource(_ source: Index, _ what: String, plan: SharedPlan) {
        guard source != Attribution.earlierRun, isUsable(source) else { return }
        state.withLock { state in
            state.selector.exclude(source)
            state.failures[source] = .other(
                DownloadError(
                    .checksumMismatch, "\(name(source)): it sent wrong bytes (\(what)).", url: name(source)))
        }
        logger.notice("\(name(source)) sent wrong bytes (\(what)); it is no longer used")
        giveUpConnections(of: source, plan)
    }

    // MARK: Digests of pieces

    /// Records that a piece is wrong.
    ///
    /// - Parameter digest: Returns the digest of bytes now on disk. The lock is not held during the call,
    ///   because it reads the disk.
    func isWrong(_ piece: ByteRange, plan: SharedPlan, digest: (ByteRange) -> String?) {
        let authors = state.withLock { $0.attribution.within(piece) }
        let samples = authors.flatMap { source, ranges in
            ranges.ranges.map { PieceEvidence.Sample(source: source, range: $0, digest: digest($0)) }
        }
        let corrupt = state.withLock { state in
            state.attribution.remove(piece)
            return state.evidence.wrong(piece, samples)
        }
        for (source, reason) in corrupt { excludeCorruptSource(source, reason, plan: plan) }
    }

    /// Records that a piece is correct. Sources that had written different bytes in it are excluded.
    func isRight(_ piece: ByteRange, plan: SharedPlan, digest: (ByteRange) -> String?) {
        let samples = state.withLock { $0.evidence.right(piece) }
        for sample in samples where digest(sample.range) != sample.digest {
            excludeCorruptSource(sample.source, PieceEvidence.describe(sample.range), plan: plan)
        }
    }

    // MARK: A wrong digest of the whole file

    /// Returns the next source suspected of the wrong digest, and the bytes to fetch again from other
    /// sources; `nil` if none is left.
    func nextSuspect() -> (name: String, ranges: ByteRangeSet)? {
        guard isChoice else { return nil }
        return state.withLock { state in
            // Sources that differ from a corrupt one may be correct, and no longer count as different.
            for source in state.differing { state.selector.readmit(source) }
            state.differing = []
            state.trusted = Set(members.indices)
            if let last = state.suspects.last, last != Attribution.earlierRun { state.selector.readmit(last) }
            let suspect = state.suspects.next(
                state.attribution.contributors, usable: state.selector.usable)
            guard let suspect else { return nil }
            if suspect != Attribution.earlierRun { state.selector.exclude(suspect) }
            let ranges = state.attribution[suspect]
            for range in ranges.ranges { state.attribution.remove(range) }
            return (name(suspect), ranges)
        }
    }

    /// True if the file has bytes of several sources, and no digest shows whether they match.
    var isMixedUnproven: Bool {
        isChoice && !hasDigest && state.withLock { $0.attribution.contributors.count > 1 }
    }

    /// Records that the digest is now correct.
    func suspicionWasRight() {
        let suspects = state.withLock { $0.suspects }
        guard let last = suspects.last else { return }
        let others = suspects.isFirst ? "; only those were fetched again" : ""
        logger.notice("The wrong bytes came from \(name(last))\(others)")
    }
}
