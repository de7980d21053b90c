/// The time of one download by what held it up, and the conclusion from it. A plain value.
struct HoldUpLedger: Sendable {
    /// The measurements of a short time.
    struct Facts: Sendable {
        var seconds: Double
        var state = DownloadState.downloading
        /// True if bytes came.
        var isMoving = true
        /// The cap on the speed that held bytes back.
        var rateCap: RateCap?
        /// The reason why the scheduler grants no further connection, if one is wanted.
        var obstacle: ConnectionObstacle?
        /// The part of the time for which the threads that receive had no rest; `nil` if it is not known.
        var load: Double?
        /// The part of the time for which writes waited for the disk.
        var diskShare = 0.0
        /// The bytes that came.
        var bytes: Int64 = 0
        /// The number of connections that bytes came over.
        var connections = 0
        /// Seconds of the round trip to the server; `nil` if it is not known.
        var roundTrip: Double?
        /// The segments of TCP that came.
        var arrivals = TransferCounters.Arrivals()
        /// The speeds of those that have been at work for a while.
        var speeds: [Segment.ID: Double] = [:]
    }

    /// The most connections that the download may have by itself.
    struct Allowance: Equatable, Sendable {
        var kind: Bottleneck.Kind
        var connections: Int
        /// True if the caller allows fewer than there are by default.
        var isLowered = false
    }

    private enum HoldUp: Hashable {
        case rate, obstacle(ConnectionObstacle), answers, disk, processor, network
    }

    /// Nothing is concluded from less time.
    static let shortestSeconds = 0.5
    /// The part of the time that makes a hold-up the bottleneck, and a cap its reason.
    static let leastShare = 0.5
    /// From this part of the time on a thread has no rest.
    static let saturation = 0.9

    private var seconds: [HoldUp: Double] = [:]
    /// The time in which bytes came, by the obstacle to more connections.
    private var obstructed: [ConnectionObstacle: Double] = [:]
    private var evidence = RateEvidence()
    private var line = LineEvidence()
    /// The last cap that held bytes back: it may be changed while the download runs.
    private var rateCap: RateCap?

    /// Adds what was measured.
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

    /// Returns what held the download back for at least half of its time; `nil` if nothing shows it.
    ///
    /// - Parameters:
    ///   - solo: The speed of the first connection alone.
    ///   - allowance: The most connections; `nil` if none would help, because the file is too small.
    ///   - hasRanges: False if the server sends no byte ranges.
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
            // Each further connection would have brought as much.
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
    /// The cap that counts for one file.
    ///
    /// - Parameters:
    ///   - segments: The number of connections that the caller wants for it.
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
