import SegmentedDLSupport

/// The state and progress of a running download, for its observers.
final class ProgressTracker: Sendable {
    private struct State {
        var phase = DownloadState.queued
        var name: String?
        var plan: SharedPlan?
        var meter = SpeedMeter()
        var mostConnections = 0
        var writtenBefore: Int64 = 0
        var isResumable = true
        var discarded: Int64 = 0
        var isPausing = false
        var counters: TransferCounters?
        var clients: [SourceClient] = []
        var holdUps = HoldUpLedger()
        var allowance: HoldUpLedger.Allowance?
        var isPiped = false
        var response: ResponseInfo?
    }

    private let shared = Lock(State())

    func enter(_ phase: DownloadState) {
        shared.withLock { state in
            state.phase = phase == .cancelled && state.isPausing ? .paused : phase
            if phase.isFinal { state.clients = [] }
        }
    }

    /// Reports a cancellation as a pause from now on.
    func beginPause() {
        shared.withLock { $0.isPausing = true }
    }

    /// Ends a pause and the state `paused`.
    func endPause(as phase: DownloadState) {
        shared.withLock { state in
            state.isPausing = false
            if state.phase == .paused { state.phase = phase }
        }
    }

    /// True if a run has received its first bytes.
    var hasBegun: Bool { shared.withLock { $0.plan != nil } }

    var state: DownloadState { shared.withLock { $0.phase } }

    func named(_ name: String) {
        shared.withLock { $0.name = name }
    }

    /// Records whether a later run can resume this one.
    func found(isResumable: Bool) {
        shared.withLock { $0.isResumable = isResumable }
    }

    /// The server's first response in this run; `nil` before it.
    var response: ResponseInfo? { shared.withLock { $0.response } }

    /// Stores the server's response.
    func answered(_ response: ResponseInfo) {
        shared.withLock { $0.response = response }
    }

    /// Counts bytes that were on disk and will be fetched again.
    func discarded(_ bytes: Int64) {
        shared.withLock { $0.discarded += bytes }
    }

    /// Takes the redirect targets of the sources from these clients.
    func follows(_ clients: [SourceClient]) {
        shared.withLock { $0.clients = clients }
    }

    /// From now on, uses these counters, which belong to another run.
    func follows(_ counters: TransferCounters) {
        shared.withLock { state in
            state.counters = counters
            state.holdUps = HoldUpLedger()
        }
    }

    /// Records the maximum number of connections of the download alone.
    ///
    /// - Parameter isPiped: True if it is limited to one connection because its bytes are written in order.
    func mayHave(_ allowance: HoldUpLedger.Allowance, isPiped: Bool) {
        shared.withLock { state in
            state.allowance = allowance
            state.isPiped = isPiped
        }
    }

    /// The maximum number of connections of the download alone.
    var allowedConnections: Int { shared.withLock { $0.allowance?.connections } ?? .max }

    /// Adds the measurements of the current plan and phase; `nil` adds nothing.
    func noteHoldUp(_ measure: (SharedPlan?, DownloadState) -> HoldUpLedger.Facts?) {
        let (plan, phase) = shared.withLock { ($0.plan, $0.phase) }
        guard let facts = measure(plan, phase), phase != .queued, phase != .paused else { return }
        shared.withLock { $0.holdUps.note(facts) }
    }

    /// The main limit of this run's speed so far; `nil` if unknown.
    var bottleneck: Bottleneck? {
        let solo = shared.withLock { $0.plan }?.snapshot.solo ?? SoloSpeed()
        return shared.withLock { Self.bottleneck($0, after: solo) }
    }

    private static func bottleneck(_ state: State, after solo: SoloSpeed) -> Bottleneck? {
        state.holdUps.bottleneck(
            after: solo, allowance: state.allowance, hasRanges: state.isResumable || state.isPiped)
    }

    /// Reports the progress of this plan from now on.
    ///
    /// - Parameter writtenBefore: The bytes that were on disk before this run; `nil` for all those already in
    ///   the plan.
    func follows(_ plan: SharedPlan, writtenBefore: Int64? = nil) {
        let written = plan.snapshot.written.byteCount
        shared.withLock { state in
            state.plan = plan
            state.writtenBefore = writtenBefore ?? written
            state.meter = SpeedMeter()
            state.meter.note(written, at: Monotonic.now())
        }
    }

    /// Returns the facts that the advice in an error depends on.
    ///
    /// - Parameter hasCredentials: True if the request had credentials.
    func circumstances(hasCredentials: Bool) -> Circumstances {
        let progress = progress()
        let kept: Circumstances.Kept =
            progress.bytesCompleted == 0 ? .nothing : progress.isResumable ? .resumable : .startsOver
        return Circumstances(kept: kept, hasCredentials: hasCredentials)
    }

    func noteConnections(_ count: Int) {
        shared.withLock { $0.mostConnections = max($0.mostConnections, count) }
    }

    var mostConnections: Int { shared.withLock { $0.mostConnections } }

    /// The number of bytes that were on disk before this run.
    var writtenBefore: Int64 { shared.withLock { $0.writtenBefore } }

    func progress() -> DownloadProgress {
        let plan = shared.withLock { $0.plan }?.snapshot
        let now = Monotonic.now()
        return shared.withLock { state in
            let completed = plan?.written.byteCount ?? 0
            if state.phase == .downloading { state.meter.note(completed, at: now) }
            let isMoving = state.phase == .downloading
            let speed = isMoving ? state.meter.bytesPerSecond : 0
            var progress = DownloadProgress(
                state: state.phase, name: state.name, bytesCompleted: completed, bytesTotal: plan?.total,
                bytesPerSecond: speed,
                timeRemaining: Self.remaining(completed, of: plan?.total, speed: speed),
                completedRanges: plan.map { Array($0.written.ranges) } ?? [],
                activeSegments: isMoving ? Self.segments(plan) : [], isResumable: state.isResumable)
            progress.cost = cost(state, completed: completed)
            progress.targets = state.clients.map(\.target)
            progress.isBetweenTries = state.counters?.totals.isBetweenTries ?? false
            progress.bottleneck = Self.bottleneck(state, after: plan?.solo ?? SoloSpeed())
            return progress
        }
    }

    private func cost(_ state: State, completed: Int64) -> TransferCost {
        guard let totals = state.counters?.totals else { return TransferCost() }
        // Until the end, received bytes may not be on disk yet.
        let unused =
            state.phase.isFinal ? max(0, totals.bytes - (completed - state.writtenBefore)) : state.discarded
        return TransferCost(
            bytesUnused: unused, refusals: totals.refusals, drops: totals.drops, retries: totals.retries)
    }

    private static func remaining(_ completed: Int64, of total: Int64?, speed: Double) -> Duration? {
        guard let total, speed >= 1 else { return nil }
        return .bounded(seconds: Double(total - completed) / speed)
    }

    private static func segments(_ plan: SegmentPlan?) -> [DownloadProgress.ActiveSegment] {
        let active = plan?.segments.values.sorted { $0.start < $1.start } ?? []
        return active.map { .init(start: $0.start, position: $0.claimed, end: $0.end) }
    }
}
