/// A request for the second half of a silent connection's missing bytes, sent while the connection is kept
/// open.
///
/// The response shows the cause of the silence. If a server or a scanner pauses within each response, nothing
/// is lost, because the silent connection continues after its pause. A request that replaced it would be
/// delayed by a whole pause.
struct ParallelTrial: Equatable, Sendable {
    /// The segment of the silent connection.
    let silent: Segment.ID
    /// The bytes for another connection.
    let range: ByteRange
    /// The start of the trial in seconds, on the plan's clock.
    var began: Double
    /// True until another connection has requested the bytes.
    var isOpen = true
}

extension SegmentPlan {
    /// True if one more connection is needed for a trial.
    var hasOpenTrial: Bool { parallelTrial?.isOpen == true }

    /// Frees the second half of a silent connection's bytes for another connection.
    ///
    /// - Returns: False if there are too few bytes to divide, or if the connection has claimed them.
    mutating func beginTrial(beside id: Segment.ID, now: Double) -> Bool {
        guard let segment = segments[id], segment.remaining > 1 else { return false }
        let middle = segment.end - segment.remaining / 2
        policy.isTried(segment, now: now)
        parallelTrial = ParallelTrial(silent: id, range: middle..<segment.end, began: now)
        cut(id, at: middle)
        return true
    }

    /// Frees the trial's bytes again, because the new connection is silent as well.
    ///
    /// - Returns: The connections that are given up although they have received a response; `nil` if there is
    ///   no trial.
    mutating func repeatTrial(now: Double) -> [Segment.ID]? {
        guard let trial = parallelTrial, let silent = segments[trial.silent], !silent.isRecalled else {
            return nil
        }
        let tried = segments.values.filter {
            $0.id != silent.id && !$0.isRecalled && trial.range.contains($0.start)
        }
        for segment in tried { policy.replaced(segment, now: now) }
        recall(tried.map(\.id), mayResume: true)
        parallelTrial?.isOpen = true
        parallelTrial?.began = now
        // A connection without a response does not show here that the server limits the number of
        // connections.
        return tried.filter(\.isAnswered).map(\.id)
    }

    /// Ends the trial if another connection has received all of its bytes while the first one was silent, or
    /// if no slot was free for another one, because giving up the first connection frees its slot.
    ///
    /// - Returns: The connections to give up, because new ones would receive at least as much as these have
    ///   left.
    mutating func endTrial(now: Double) -> [Segment.ID] {
        guard let trial = parallelTrial else { return [] }
        guard let silent = segments[trial.silent], !silent.isRecalled else {
            parallelTrial = nil
            return []
        }
        if trial.isOpen, now - trial.began >= SlowConnectionPolicy.longestSilenceSeconds {
            parallelTrial = nil
            return silent.waitsSince(at: now) == nil ? [] : [silent.id]
        }
        guard written.gaps(in: trial.range).isEmpty else { return [] }
        parallelTrial = nil
        guard silent.waitsSince(at: now) != nil else { return [] }
        policy.isProven()
        let most = 2 * trial.range.length
        return segments.values.filter {
            $0.id == silent.id
                || !$0.isRecalled && $0.hasBegun && $0.isSilent(at: now) && $0.end - $0.received <= most
        }.map(\.id)
    }

    /// Ends the trial of a connection that has continued and reached the trial's bytes, unless another
    /// connection receives them.
    ///
    /// - Returns: True if the bytes are free.
    mutating func takeBackTrial(of segment: Segment) -> Bool {
        guard let trial = parallelTrial, trial.silent == segment.id,
            trial.range.lowerBound == segment.end
        else { return false }
        parallelTrial = nil
        if let other = segments.values.first(where: { $0.start == segment.end && $0.id != segment.id }) {
            guard !other.isAnswered, !other.isRecalled else { return false }
            recall([other.id], mayResume: true)
        }
        policy.wasNeedless()
        return true
    }
}
