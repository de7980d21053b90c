import TestSupport

@testable import SegmentedDL

/// Requests to a host that states its quota, with responses out of order, in virtual time.
struct QuotaSimulation {
    enum Window: CaseIterable {
        /// Windows that begin at multiples of their length.
        case aligned
        /// A window begins with the first request after the last one.
        case ofFirstRequest
        /// Only the requests of the last seconds count.
        case sliding
        /// The quota grows continuously.
        case bucket
    }

    /// How the host states the seconds until a window ends.
    enum Seconds: CaseIterable {
        case exact, roundedUp, roundedDown
    }

    private struct Request {
        var sentAt: Double
        var arrives: Double
        var ends: Double
        /// True if a response had stated a quota before.
        var isWarned: Bool
        var isRefused = false
        var answer: RequestQuota?
    }

    let window: Window
    let seconds: Seconds
    let quota: Int
    let span: Double
    /// The maximum duration of each way.
    let latency: Double
    let connections: Int
    /// True if a single request is sent before all others.
    let beginsAlone: Bool

    private var random: SplitMix64
    private let offset: Double
    private var begun = -Double.infinity
    private var used = 0
    private var counted: [Double] = []
    private var tokens: Double
    private var filledAt = 0.0

    private var limit = HostLimit()
    private var now = 0.0
    private var waiting = 30
    private var underWay: [Request] = []
    private(set) var sent = 0
    /// The number of refused requests that were sent although the quota was known.
    private(set) var refused = 0

    init(_ window: Window, _ seconds: Seconds, beginsAlone: Bool, seed: UInt64) {
        random = SplitMix64(seed: seed)
        self.window = window
        self.seconds = seconds
        self.beginsAlone = beginsAlone
        quota = Int.random(in: 1...8, using: &random)
        span = Double(Int.random(in: 1...10, using: &random))
        latency = [0.02, 0.2, 0.5].randomElement(using: &random) ?? 0
        connections = [1, 2, 4, 8].randomElement(using: &random) ?? 1
        offset = Double.random(in: 0..<span, using: &random)
        tokens = Double(quota)
    }

    /// Runs until all requests are served, or far too many have been sent.
    mutating func run() {
        while waiting > 0 || !underWay.isEmpty, sent < 1000 {
            send()
            let events = underWay.map { $0.answer == nil ? $0.arrives : $0.ends }
            let change = waiting > 0 && underWay.count < connections ? limit.nextChange(now: now) : nil
            now = max(now, (events + [change].compactMap { $0 }.filter { $0 > now }).min() ?? now)
            if let index = next(\.arrives, where: { $0.answer == nil }) {
                answer(index)
            } else if let index = next(\.ends, where: { $0.answer != nil }) {
                receive(underWay.remove(at: index))
            }
        }
    }

    private mutating func send() {
        let most = beginsAlone && !limit.hasQuota ? 1 : connections
        while waiting > 0, underWay.count < limit.allowance(upTo: most, now: now) {
            let isWarned = limit.hasQuota
            limit.granted(now: now)
            let arrives = now + .random(in: 0.05...1, using: &random) * latency
            let ends = arrives + .random(in: 0.05...1, using: &random) * latency
            underWay.append(Request(sentAt: now, arrives: arrives, ends: ends, isWarned: isWarned))
            (waiting, sent) = (waiting - 1, sent + 1)
        }
    }

    /// The request with the earliest time of a kind, if it has come.
    private func next(_ time: KeyPath<Request, Double>, where isOfKind: (Request) -> Bool) -> Int? {
        underWay.indices.filter { isOfKind(underWay[$0]) && underWay[$0][keyPath: time] <= now }
            .min { underWay[$0][keyPath: time] < underWay[$1][keyPath: time] }
    }

    private mutating func answer(_ index: Int) {
        let (isServed, left, reset) = count()
        underWay[index].isRefused = !isServed
        underWay[index].answer = RequestQuota(
            left: left, resetSeconds: stated(reset), isRounded: seconds != .exact, isOfOne: quota == 1)
    }

    private func stated(_ reset: Double) -> Double {
        switch seconds {
        case .exact: reset
        case .roundedUp: reset.rounded(.up)
        case .roundedDown: reset.rounded(.down)
        }
    }

    /// Counts a request at the host.
    private mutating func count() -> (isServed: Bool, left: Int, reset: Double) {
        switch window {
        case .aligned, .ofFirstRequest:
            let start =
                window == .aligned
                ? ((now + offset) / span).rounded(.down) * span - offset
                : now >= begun + span ? now : begun
            if start != begun { (begun, used) = (start, 0) }
            let isServed = used < quota
            if isServed { used += 1 }
            return (isServed, quota - used, begun + span - now)
        case .sliding:
            counted.removeAll { $0 + span <= now }
            let isServed = counted.count < quota
            if isServed { counted.append(now) }
            return (isServed, quota - counted.count, (counted.first ?? now) + span - now)
        case .bucket:
            let rate = Double(quota) / span
            tokens = min(Double(quota), tokens + (now - filledAt) * rate)
            filledAt = now
            let isServed = tokens >= 1
            if isServed { tokens -= 1 }
            return (isServed, Int(tokens), (Double(quota) - tokens) / rate)
        }
    }

    private mutating func receive(_ request: Request) {
        guard let answer = request.answer else { return }
        limit.told(answer, whileUnanswered: underWay.count, sentAt: request.sentAt, now: now)
        guard request.isRefused else { return limit.worked() }
        if request.isWarned { refused += 1 }
        waiting += 1
        limit.refused(whileOpen: underWay.count, retryAfter: answer.longestReset, now: now)
    }
}
