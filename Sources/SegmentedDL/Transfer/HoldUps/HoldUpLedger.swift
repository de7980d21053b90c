/// How long each cause limited one download, and the resulting bottleneck. A plain value.
struct HoldUpLedger: Sendable {
    /// The measurements of a short interval.
    struct Facts: Sendable {
        var seconds: Double
        var state = DownloadState.downloading
        /// True if bytes arrived.
        var isMoving = true
        /// The cap on the speed that delayed bytes.
        var rateCap: RateCap?
        /// The reason why the scheduler grants no further connection, if the download needs another one.
        var obstacle: ConnectionObstacle?
        /// The share of the time for which the receiving threads were busy; `nil` if unknown.
        var load: Double?
        /// The share of the time for which writes waited for the disk.
        var diskShare = 0.0
        /// The bytes that arrived.
        var bytes: Int64 = 0
        /// The number of connections that received bytes.
        var connections = 0
        /// The round trip to the server in seconds; `nil` if unknown.
        var roundTrip: Double?
        /// The TCP segments that arrived.
        var arrivals = TransferCounters.Arrivals()
        /// The speeds of connections that have been active for a while.
        var speeds: [Segment.ID: Double] = [:]
    }

    /// The maximum number of connections of one download.
    struct Allowance: Equatable, Sendable {
        var kind: Bottleneck.Kind
        var connections: Int
        /// True if the caller allows fewer than the default.
        var isLowered = false
    }

    private enum HoldUp: Hashable {
        case rate, obstacle(ConnectionObstacle), answers, disk, processor, network
    }

    /// The minimum time for a conclusion.
    static let shortestSeconds = 0.5
    /// The minimum share of the time for which a cause must apply to be the bottleneck.
    static let leastShare = 0.5
    /// A thread that is busy for at least this share of the time counts as always busy.
    static let saturation = 0.9

    private var seconds: [HoldUp: Double] = [:]
    /// The time during which bytes arrived, by the obstacle to more connections.
    private var obstructed: [ConnectionObstacle: Double] = [:]
    private var evidence = RateEvidence()
    private var line = LineEvidence()
    /// The last cap that delayed bytes: it may change during the download.
    private var rateCap: RateCap?

    /// Adds measurements.
    mutating func note(_ facts: Facts) {
        let holdUp = Self.holdUp(facts)
        seconds[holdUp, default: 0] += facts.seconds
        rateCap = facts.rateCap ?? rateCap
        switch holdUp {
        case .network, .obstacle(.host):
            if let obstacle = facts.obstacle { obstructed[obstacle, default: 0] += facts.seconds }
            if facts.isMoving {
                line.note(facts)
                evidence.note(
                    bytes: facts.bytes, in: facts.seconds, over: facts.connections, speeds: facts.speeds)
            }
        default: break
        }
    }

    private static func holdUp(_ facts: Facts) -> HoldUp {
        switch facts.state {
        case .finalizing: return .disk
        case .verifying: return .processor
        default: break
        }
        if facts.rateCap != nil { return .rate }
        guard facts.isMoving else { return facts.obstacle.map { .obstacle($0) } ?? .answers }
        if let load = facts.load, load >= saturation {
            return facts.diskShare >= leastShare ? .disk : .processor
        }
        return facts.obstacle == .host ? .obstacle(.host) : .network
    }

    /// Returns the cause that limited the download for at least half of its time; `nil` if unknown.
    ///
    /// - Parameters:
    ///   - solo: The speed of the first connection alone.
    ///   - allowance: The maximum number of connections; `nil` if more would not help, because the file is
    ///     too small.
    ///   - hasRanges: False if the server does not support byte ranges.
    func bottleneck(after solo: SoloSpeed, allowance: Allowance?, hasRanges: Bool = true) -> Bottleneck? {
        let total = seconds.values.reduce(0, +)
        guard total >= Self.shortestSeconds, let (holdUp, most) = seconds.max(by: { $0.value < $1.value }),
            most >= total * Self.leastShare
        else { return nil }
        let share = (most / total * 100).rounded() / 100
        switch holdUp {
        case .rate:
            return rateCap.map {
                Bottleneck($0.kind, share: share, bytesPerSecond: Double($0.bytesPerSecond))
            }
        case .answers: return Bottleneck(.answers, share: share)
        case .disk: return Bottleneck(.disk, share: share)
        case .processor: return Bottleneck(.processor, share: share)
        case .obstacle(.host):
            if case .line = evidence.finding(after: solo) { return network(share, most, solo, allowance) }
            return Bottleneck(.refusals, share: share)
        case .obstacle(let obstacle):
            return Bottleneck(obstacle.kind, share: share, connections: obstacle.cap)
        case .network:
            if !hasRanges { return Bottleneck(.noRanges, share: share) }
            return network(share, most, solo, allowance)
        }
    }

    private func network(
        _ share: Double, _ most: Double, _ solo: SoloSpeed, _ allowance: Allowance?
    ) -> Bottleneck? {
        switch evidence.finding(after: solo) {
        case nil: return line.bottleneck(share, of: seconds.values.reduce(0, +))
        case .line(let speed): return Bottleneck(.line, share: share, bytesPerSecond: speed)
        case .perConnection(let speed):
            // Further connections would have been as fast.
            if let (obstacle, time) = obstructed.max(by: { $0.value < $1.value }),
                time >= most * Self.leastShare
            {
                return Bottleneck(
                    obstacle.kind, share: share, connections: obstacle.cap, bytesPerSecond: speed)
            }
            if let allowance, allowance.isLowered,
                evidence.connections >= Double(allowance.connections) * Self.saturation
            {
                return Bottleneck(
                    allowance.kind, share: share, connections: allowance.connections, bytesPerSecond: speed)
            }
            if let loss = line.loss(share) { return loss }
            return Bottleneck(
                .connectionRate, share: share, connections: Int(evidence.connections.rounded()),
                bytesPerSecond: speed)
        }
    }
}

extension HoldUpLedger.Allowance {
    /// The cap that applies to one file.
    ///
    /// - Parameters:
    ///   - segments: The number of connections in the request.
    ///   - limits: The caps on all downloads.
    ///   - hosts: The number of hosts that have the file.
    init(_ segments: SegmentCount, _ limits: Limits, hosts: Int) {
        let standard = Limits()
        let perHost = limits.connections(over: hosts)
        switch segments {
        case .fixed(let count) where count < perHost: self.init(kind: .segmentCap, connections: count)
        default:
            let isOfHost = perHost < limits.connections
            self.init(kind: isOfHost ? .hostCap : .connectionCap, connections: perHost)
        }
        isLowered = connections < standard.connections(over: hosts)
    }
}

extension ConnectionObstacle {
    var kind: Bottleneck.Kind {
        switch self {
        case .connections: .connectionCap
        case .connectionsPerHost: .hostCap
        case .requestsPerHost: .requestCap
        case .host: .refusals
        }
    }

    var cap: Int? {
        switch self {
        case .connections(let cap), .connectionsPerHost(let cap), .requestsPerHost(let cap): cap
        case .host: nil
        }
    }
}

extension RateCap {
    var kind: Bottleneck.Kind { isOfFile ? .fileRateCap : .rateCap }
}
