/// The connections of a download that ended in the last seconds. They show the speed that can be reached.
struct EndedConnections: Sendable {
    static let memorySeconds = 5.0

    /// The speeds of the connections, in bytes per second.
    private(set) var speeds: [(at: Double, speed: Double)] = []
    /// Lower bounds for the speeds of connections that ended too soon to measure their speed: their bytes, as
    /// if these had taken a second, because servers that limit a rate send a second's bytes at once.
    private(set) var shortSpeeds: [(at: Double, speed: Double)] = []
    /// The number of bytes that each connection received.
    private(set) var lengths: [(at: Double, bytes: Int64)] = []
    /// The speed, including the time until the first byte, of the last connection that ended too soon to
    /// measure its speed.
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

    /// Returns the speeds that are still remembered at this time.
    func speeds(now: Double) -> [Double] {
        speeds.filter { $0.at > now - Self.memorySeconds }.map(\.speed)
    }

    /// Returns the speed, in bytes per second, of the last connection that ended so soon that its speed is a
    /// guess; `nil` if it is no longer remembered.
    func guessedSpeed(now: Double) -> Double? {
        quick.flatMap { $0.at > now - Self.memorySeconds ? $0.speed : nil }
    }
}
