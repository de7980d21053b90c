import SegmentedDLSupport

/// Measures, a few times per second, the cause that limits one download.
final class HoldUpSampler: Sendable {
    private struct State {
        var sampledAt: Double
        var written: Int64 = 0
        var engine = (seconds: 0.0, busy: 0.0)
        var paces = ConnectionPaces()
        var arrivals = TransferCounters.Arrivals()
        var diskSeconds = 0.0
        var refusals = 0
        var refusedAt = -Double.infinity
    }

    private let tracker: ProgressTracker
    private let client: SourceClient
    private let state: Lock<State>

    init(_ tracker: ProgressTracker, _ client: SourceClient, now: Double = Monotonic.now()) {
        self.tracker = tracker
        self.client = client
        state = Lock(State(sampledAt: now))
    }

    /// Adds the time since the last sample to the ledger.
    func sample(now: Double = Monotonic.now()) {
        let totals = client.counters.totals
        let obstacle = client.obstacle
        let allowed = tracker.allowedConnections
        tracker.noteHoldUp { plan, phase in
            state.withLock { state in
                let seconds = now - state.sampledAt
                guard seconds > 0 else { return nil }
                let written = plan?.withLock { plan, _ in plan.written.byteCount } ?? 0
                let segments = plan?.withLock { plan, _ in plan.segments.values } ?? []
                let receiving = segments.filter { $0.isReceiving(at: now) }
                let engine = (
                    seconds: totals.engine.seconds - state.engine.seconds,
                    busy: totals.engine.busy - state.engine.busy
                )
                var facts = HoldUpLedger.Facts(seconds: seconds, state: phase)
                facts.isMoving = written > state.written || !receiving.isEmpty
                facts.rateCap = client.rateCap(heldWithin: seconds, now: now)
                let refusedAt = totals.refusals > state.refusals ? now : state.refusedAt
                // After a refusal, no connection is requested for a while.
                let isRefused =
                    now - refusedAt <= SlowConnectionPolicy.stealPauseSeconds && receiving.count < allowed
                facts.obstacle = obstacle ?? (isRefused ? .host : nil)
                facts.load = engine.seconds > 0 ? engine.busy / engine.seconds : nil
                // A thread that is too late to report counts as always busy.
                if facts.load == nil, totals.engine.seconds > 0, segments.contains(where: \.isAnswered) {
                    facts.load = 1
                }
                facts.diskShare = (totals.diskSeconds - state.diskSeconds) / seconds
                facts.bytes = max(0, written - state.written)
                facts.connections = receiving.count
                facts.roundTrip = plan?.withLock { plan, _ in plan.distance?.roundTrip }
                facts.arrivals = totals.arrivals.since(state.arrivals)
                facts.speeds = state.paces.speeds(of: receiving, now: now)
                state = State(
                    sampledAt: now, written: written, engine: totals.engine,
                    paces: state.paces, arrivals: totals.arrivals, diskSeconds: totals.diskSeconds,
                    refusals: totals.refusals,
                    refusedAt: refusedAt)
                return facts
            }
        }
    }
}

/// Takes the samples of all active downloads. A single task does this, only while there are any. Small files
/// end before they are sampled, and a task for each would cost more than its transfer.
final class HoldUpRounds: Sendable {
    private struct State {
        var samplers: [Int: HoldUpSampler] = [:]
        var next = 0
        var isAtWork = false
    }

    private static let interval = Duration.milliseconds(200)

    private let state = Lock(State())

    /// - Returns: The number for removing it.
    func add(_ sampler: HoldUpSampler) -> Int {
        let (number, begins) = state.withLock { state in
            state.next += 1
            state.samplers[state.next] = sampler
            defer { state.isAtWork = true }
            return (state.next, !state.isAtWork)
        }
        if begins { Task { await work() } }
        return number
    }

    func remove(_ number: Int) {
        state.withLock { $0.samplers[number] = nil }
    }

    private func work() async {
        repeat {
            try? await Task.sleep(for: Self.interval)
        } while sampleAll()
    }

    private func sampleAll() -> Bool {
        let samplers = state.withLock { state in
            state.isAtWork = !state.samplers.isEmpty
            return state.samplers.values
        }
        for sampler in samplers { sampler.sample() }
        return !samplers.isEmpty
    }
}

/// The speeds of connections over whole seconds.
///
/// A server that limits its rate may send each second's bytes in one burst, which makes no difference over
/// two whole seconds. The initial burst is excluded.
struct ConnectionPaces: Sendable {
    private typealias Mark = (time: Double, position: Int64)

    /// The time over which speed is measured.
    static let windowSeconds = 2.0
    /// The tolerance for samples that are slightly late.
    private static let tolerance = 0.05

    private var marks: [Segment.ID: [Mark]] = [:]

    /// Records a sample.
    ///
    /// - Returns: The speeds of the connections that have been active for long enough.
    mutating func speeds(of segments: [Segment], now: Double) -> [Segment.ID: Double] {
        var kept: [Segment.ID: [Mark]] = [:]
        var speeds: [Segment.ID: Double] = [:]
        for segment in segments {
            var history = marks[segment.id] ?? []
            history.append((now, segment.received))
            let start = now - Self.windowSeconds + Self.tolerance
            // Drop the marks before the newest one that is old enough.
            if let from = history.lastIndex(where: { $0.time <= start }) {
                history.removeFirst(from)
                let seconds = now - history[0].time
                speeds[segment.id] = Double(segment.received - history[0].position) / seconds
            }
            kept[segment.id] = history
        }
        marks = kept
        return speeds
    }
}
