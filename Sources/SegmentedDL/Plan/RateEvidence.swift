/// The speeds of a download and its connections over time, and the bottleneck that they indicate.
///
/// A server's limit per connection results in equal and constant speeds that match that of the first
/// connection when it was alone, or whose sum it exceeded for a moment. A saturated link results in a sum
/// that does not exceed the speed of the first connection alone, or that is constant while the shares of the
/// connections change.
struct RateEvidence: Sendable {
    /// A limit proved by the speeds.
    enum Finding: Equatable, Sendable {
        case perConnection(bytesPerSecond: Double)
        case line(bytesPerSecond: Double)
    }

    /// The minimum measuring time for sums.
    static let shortestSeconds = 1.0
    /// The minimum measuring time for a proof by changing shares alone, because a sum may be steady for a
    /// while by chance.
    static let shortestSecondsOfShares = 8.0
    /// The interval over which a sum is measured. Servers that limit a rate send in bursts.
    static let windowSeconds = 0.9
    /// The maximum deviation of speeds that count as equal or constant, as a fraction of them.
    static let deviation = 0.15
    /// The minimum fraction of the time during which equal speeds must be equal.
    static let equalShare = 0.7
    /// The minimum deviation of a share that counts as changing.
    static let changingDeviation = 0.1
    /// The maximum variance of a sum, as a fraction of the total of its shares' variances. For independent
    /// shares the fraction is 1.
    static let steadySum = 0.2
    /// The ratios of two speeds that count as equal.
    static let same = 0.8...1.25
    /// The ratios of the sum to the speed of the first connection alone at which further connections add
    /// nothing.
    static let nothingMore = 0.8...1.15
    /// The minimum factor by which further connections increase the speed, or a burst exceeds it.
    static let growth = 1.5
    static let burst = 1.3

    /// The bytes received in a short interval.
    private struct Slice {
        var seconds: Double
        var bytes: Int64
        var connections: Int
    }

    private var slices: [Slice] = []
    private var seconds = 0.0
    private var sums = Deviation()
    private var counts = Deviation()
    private var comparedSeconds = 0.0
    private var equalSeconds = 0.0
    private var shares = Deviation()
    private var sharedSeconds = 0.0
    private var sharedSums = Deviation()
    private var running: [Segment.ID: Deviation] = [:]
    private var endedSquares = 0.0
    private var endedCount = 0

    /// The mean number of active connections.
    var connections: Double { counts.mean }

    /// Records the bytes of an interval.
    ///
    /// - Parameters:
    ///   - bytes: The number of bytes of all connections.
    ///   - seconds: The length of the interval.
    ///   - connections: The number of connections that received bytes.
    ///   - speeds: The speeds of the connections that have been active for long enough.
    mutating func note(bytes: Int64, in seconds: Double, over connections: Int, speeds: [Segment.ID: Double])
    {
        noteShares(speeds, areAll: speeds.count == connections, for: seconds)
        guard connections > 1 else {
            slices = []
            return
        }
        slices.append(Slice(seconds: seconds, bytes: bytes, connections: connections))
        let length = slices.reduce(0) { $0 + $1.seconds }
        guard length >= Self.windowSeconds else { return }
        self.seconds += seconds
        sums.note(Double(slices.reduce(0) { $0 + $1.bytes }) / length)
        counts.note(slices.reduce(0) { $0 + Double($1.connections) * $1.seconds } / length)
        while let first = slices.first,
            slices.reduce(-first.seconds, { $0 + $1.seconds }) >= Self.windowSeconds
        {
            slices.removeFirst()
        }
    }

    private mutating func noteShares(_ speeds: [Segment.ID: Double], areAll: Bool, for seconds: Double) {
        for (id, deviation) in running where speeds[id] == nil {
            endedSquares += deviation.squares
            endedCount += deviation.count - 1
            running[id] = nil
        }
        var all = Deviation()
        for (id, speed) in speeds {
            all.note(speed)
            shares.note(speed)
            running[id, default: Deviation()].note(speed)
        }
        guard all.count > 1 else { return }
        comparedSeconds += seconds
        if all.variance.squareRoot() <= all.mean * Self.deviation { equalSeconds += seconds }
        if areAll {
            sharedSeconds += seconds
            sharedSums.note(speeds.values.reduce(0, +))
        }
    }

    /// Returns the limit proved by the speeds; `nil` if they prove none.
    func finding(after solo: SoloSpeed) -> Finding? {
        guard seconds >= Self.shortestSeconds, sums.mean > 0 else { return nil }
        return byGrowth(after: solo) ?? byShares
    }

    /// The variance of one connection's speed over time.
    private var variance: Double {
        let squares = running.values.reduce(endedSquares) { $0 + $1.squares }
        let count = running.values.reduce(endedCount) { $0 + $1.count - 1 }
        return count > 0 ? squares / Double(count) : 0
    }

    private func byGrowth(after solo: SoloSpeed) -> Finding? {
        let alone = solo.steady ?? 0
        if alone > 0, Self.nothingMore.contains(sums.mean / alone) {
            return .line(bytesPerSecond: sums.mean)
        }
        guard comparedSeconds > 0, equalSeconds >= comparedSeconds * Self.equalShare,
            variance.squareRoot() <= shares.mean * Self.deviation
        else { return nil }
        let isAsBefore =
            alone > 0 && Self.same.contains(shares.mean / alone) && sums.mean >= alone * Self.growth
        // A link that has carried more is not saturated.
        let isBelowBurst = (solo.peak ?? 0) >= sums.mean * Self.burst
        return isAsBefore || isBelowBurst ? .perConnection(bytesPerSecond: shares.mean) : nil
    }

    private var byShares: Finding? {
        guard sharedSeconds >= Self.shortestSecondsOfShares,
            variance.squareRoot() >= shares.mean * Self.changingDeviation,
            sharedSums.variance <= variance * counts.mean * Self.steadySum
        else { return nil }
        return .line(bytesPerSecond: sums.mean)
    }
}

/// The mean and the deviation of a series of numbers (Welford's method).
struct Deviation: Equatable, Sendable {
    private(set) var count = 0
    private(set) var mean = 0.0
    /// The sum of the squared differences from the mean.
    private(set) var squares = 0.0

    mutating func note(_ value: Double) {
        count += 1
        let difference = value - mean
        mean += difference / Double(count)
        squares += difference * (value - mean)
    }

    var variance: Double { count > 1 ? squares / Double(count - 1) : 0 }
}
