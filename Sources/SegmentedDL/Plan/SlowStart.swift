import Foundation

/// The number of bytes that a connection receives while its server's congestion window doubles in each round
/// trip (RFC 5681), starting from ten segments (RFC 6928).
enum SlowStart {
    /// The payload of an Ethernet packet with TCP timestamps, in bytes.
    static let segment = 1448.0
    private static let initialWindow = 10 * segment
    /// In round trips. A window that has doubled more often has usually reached a limit.
    private static let longest = 8.0

    /// The share of a connection that begins later than the others, as a part of theirs, if all are equally
    /// fast.
    private static let lateShare = 0.75

    /// Returns the shares of the first connection, which has already begun, and of one that begins later than
    /// the others, so that all finish at the same time.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes.
    ///   - connections: The number of connections, 1 or more; 2 or more with a late one.
    ///   - trips: The number of round trips until the first window of the others arrives.
    ///   - lateness: The number of round trips by which one begins later than the others; `nil` if none does.
    /// - Returns: The shares in bytes; `late` is 0 if none is late.
    static func shares(
        of length: Int64, among connections: Int, behind trips: Double, lateness: Double? = nil
    ) -> (first: Int64, late: Int64) {
        let others = connections - (lateness == nil ? 1 : 2)
        func late(_ time: Double) -> Double { lateness.map { bytes(after: time - trips - $0) } ?? 0 }
        func all(_ time: Double) -> Double {
            bytes(after: time) + Double(others) * bytes(after: time - trips) + late(time)
        }
        // After slow start all connections are equally fast.
        guard all(longest) >= Double(length) else {
            let part = lateness == nil ? 0 : lateShare
            let late = Int64(Double(length) * part / (Double(others + 1) + part))
            return ((length - late - 1) / Int64(others + 1) + 1, late)
        }
        var (low, high) = (0.0, longest)
        for _ in 0..<32 {
            let middle = (low + high) / 2
            if all(middle) < Double(length) { low = middle } else { high = middle }
        }
        let (other, last) = (Int64(bytes(after: high - trips)), Int64(late(high)))
        return (max(length - Int64(others) * other - last, 1), last)
    }

    /// Returns the number of round trips from the first window until this many bytes have arrived, without
    /// losses.
    static func trips(for bytes: Double) -> Double { log2(bytes / initialWindow + 1) }

    /// Returns the number of bytes that have arrived this many round trips after the first window.
    private static func bytes(after trips: Double) -> Double {
        trips < 0 ? 0 : initialWindow * (pow(2, trips + 1) - 1)
    }
}
