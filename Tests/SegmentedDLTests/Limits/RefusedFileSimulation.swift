import TestSupport

@testable import SegmentedDL

/// Files of one request each from a host with limits, in virtual time, with the real scheduler and retries.
struct RefusedFileSimulation {
    struct Host {
        /// The maximum number of concurrent requests.
        var most = Int.max
        /// Requests per second, and the size of a burst; `nil` for no limit.
        var rate: (perSecond: Double, burst: Double)?
        /// The files that the host always refuses.
        var refused: Set<Int> = []
        /// The delay in seconds that its refusals state; `nil` if they state none.
        var retryAfter: Double?
        private var room = 0.0
        private var last = -Double.infinity

        init(
            most: Int = .max, rate: (perSecond: Double, burst: Double)? = nil, refused: Set<Int> = [],
            retryAfter: Double? = nil
        ) {
            (self.most, self.rate, self.refused) = (most, rate, refused)
            self.retryAfter = retryAfter
        }

        mutating func accepts(_ file: Int, open: Int, at now: Double) -> Bool {
            guard !refused.contains(file), open < most else { return false }
            guard let rate else { return true }
            room = min(rate.burst + 1, room + max(0, min(now - last, 1e6)) * rate.perSecond)
            last = now
            guard room >= 1 else { return false }
            room -= 1
            return true
        }
    }

    struct Outcome {
        /// The seconds until all files that the host does not refuse were complete.
        var seconds = 0.0
        var failed: Set<Int> = []
        /// The number of requests for each file.
        var requests: [Int: Int] = [:]
        /// The maximum number of concurrent responses.
        var peak = 0
        /// The minimum number of seconds between a refusal and the next request for the file.
        var shortestWait = Double.infinity
    }

    private enum Event {
        case answer(connection: Int, file: Int, isServed: Bool)
        case end(connection: Int, file: Int)
        case retry(file: Int)
    }

    private var host: Host
    private let size: Double
    private let latency: Double
    private var state: SchedulerState
    private var retries: [Int: RetryState] = [:]
    private var events: [(time: Double, event: Event)] = []
    private var waiting: [Int: Int] = [:]
    private var open = 0
    private var nextConnection = 0
    private var outcome = Outcome()
    private var refusedAt: [Int: Double] = [:]
    private var left: Set<Int>
    private var random: SplitMix64
    private var now = 0.0

    /// - Parameter size: The seconds taken by each body.
    init(files: Int, from host: Host, latency: Double = 0.05, size: Double, seed: UInt64 = 1) {
        (self.host, self.size, self.latency) = (host, size, latency)
        var limits = Limits()
        limits.activeFiles = .fixed(12)
        state = SchedulerState(limits: limits)
        left = Set(1...files)
        random = SplitMix64(seed: seed)
    }

    mutating func run() -> Outcome {
        for file in left.sorted() { apply(state.submit(file, priority: 0, now: now)) }
        while !left.isEmpty, now < 10_000 {
            let next = events.map(\.time).min() ?? .infinity
            let change = state.nextChange(now: now) ?? .infinity
            guard min(next, change) < .infinity else { break }
            now = max(now, min(next, change))
            if change <= next {
                // A sum of seconds may be slightly less than its parts.
                now += 1e-9
                apply(state.tick(now: now))
            }
            while let index = events.indices.min(by: { events[$0].time < events[$1].time }),
                events[index].time <= now
            {
                take(events.remove(at: index).event)
            }
        }
        return outcome
    }

    private mutating func request(_ file: Int) {
        nextConnection += 1
        waiting[nextConnection] = file
        apply(state.request(nextConnection, file: file, host: "a", now: now))
    }

    private mutating func apply(_ actions: [SchedulerState.Action]) {
        for action in actions {
            switch action {
            case .start(let file):
                retries[file] = RetryState(policy: RetryPolicy(), hasAnswered: false)
                request(file)
            case .grant(let connection):
                guard let file = waiting.removeValue(forKey: connection) else { continue }
                outcome.requests[file, default: 0] += 1
                outcome.shortestWait = min(outcome.shortestWait, now - (refusedAt[file] ?? -.infinity))
                let isServed = host.accepts(file, open: open, at: now)
                if isServed { open += 1 }
                outcome.peak = max(outcome.peak, open)
                let answer = Event.answer(connection: connection, file: file, isServed: isServed)
                events.append((now + latency * .random(in: 0.8...1.2, using: &random), answer))
            case .end, .reclaim: break
            }
        }
    }

    private mutating func take(_ event: Event) {
        switch event {
        case .retry(let file): request(file)
        case .answer(let connection, let file, true):
            apply(state.served(connection, now: now))
            events.append((now + size, .end(connection: connection, file: file)))
        case .end(let connection, let file):
            open -= 1
            state.worked(connection)
            outcome.seconds = now
            finish(file, connection)
        case .answer(let connection, let file, false):
            refusedAt[file] = now
            apply(state.refused(connection, retryAfter: host.retryAfter, now: now))
            let failure: TransferFailure =
                state.isOfFile(connection)
                ? .busyForFile(status: 503, retryAfter: host.retryAfter)
                : .busy(status: 503, retryAfter: host.retryAfter)
            let decision = retries[file]?.decide(
                failure, others: 0, written: 0, now: now, jitter: .random(in: 0...1, using: &random))
            guard case .retry(let wait) = decision else {
                outcome.failed.insert(file)
                return finish(file, connection)
            }
            apply(state.release(connection, now: now))
            events.append((now + wait, .retry(file: file)))
        }
    }

    private mutating func finish(_ file: Int, _ connection: Int) {
        left.remove(file)
        apply(state.release(connection, now: now))
        apply(state.withdraw(file, now: now))
    }
}
