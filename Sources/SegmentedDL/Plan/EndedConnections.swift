/// The connections of a download that have ended in the last seconds: they show the possible speed.
struct EndedConnections: Sendable {
    static let memorySeconds = 5.0

    /// Their speeds, in bytes per second.
    private(set) var speeds: [(at: Double, speed: Double)] = []
    /// The minimum speeds of those that ended too soon for a speed: their bytes, as if these had taken a
    /// second, because servers that limit a rate send a second's bytes at once.
    private(set) var shortSpeeds: [(at: Double, speed: Double)] = []
    /// Their bytes.
    private(set) var lengths: [(at: Double, bytes: Int64)] = []
    /// The speed of the last one that ended too soon for a speed, with the time until its first byte.
    private var quick: (at: Double, speed: Double)?

    mutating func add(_ segment: Segment, now: Double) {
        let bytes = segment.claimed - segment.start
        lengths.append((now, bytes))
        if let speed = segment.speed(at: now) {
            speeds.append((now, speed))
        } else if bytes > 0 {
            shortSpeeds.append((now, Double(bytes)))
            quick = (now, Double(bytes) / max(now - segment.began, StealRule.smallestGainSeconds))
        }
    }

    mutating func forget(now: Double) {
        speeds.removeAll { $0.at < now - Self.memorySeconds }
        shortSpeeds.removeAll { $0.at < now - Self.memorySeconds }
        lengths.removeAll { $0.at < now - Self.memorySeconds }
    }

    /// Returns their speeds that are not forgotten at this time.
    func speeds(now: Double) -> [Double] {
        speeds.filter { $0.at > now - Self.memorySeconds }.map(\.speed)
    }

    /// Returns the bytes per second of the last one that ended so soon that its speed is a guess; `nil` if
    /// that is forgotten.
    func guessedSpeed(now: Double) -> Double? {
        quick.flatMap { $0.at > now - Self.memorySeconds ? $0.speed : nil }
    }
}
