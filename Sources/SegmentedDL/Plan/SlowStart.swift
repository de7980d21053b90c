import Foundation

/// The number of bytes that a connection receives while its server's congestion window doubles in each round
/// trip (RFC 5681), starting from ten segments (RFC 6928).
enum SlowStart {
    /// The payload of an Ethernet packet with TCP timestamps, in bytes.
    static let segment = 1448.0
    private static let initialWindow = 10 * segment
    /// In round trips. A window that has doubled more often has usually reached a limit.
    private static let longest = 8.0

    /// Returns the share of the first connection, which has already begun, so that the others finish at the
    /// same time.
    ///
    /// - Parameters:
    ///   - length: The total number of bytes.
    ///   - connections: The number of connections, 1 or more.
    ///   - trips: The number of round trips until the first window of the others arrives.
    static func firstShare(of length: Int64, among connections: Int, behind trips: Double) -> Int64 {
        let others = Double(connections - 1)
        func all(_ time: Double) -> Double { bytes(after: time) + others * bytes(after: time - trips) }
        // After slow start all connections are equally fast.
        guard all(longest) >= Double(length) else { return (length - 1) / Int64(connections) + 1 }
        var (low, high) = (0.0, longest)
        for _ in 0..<32 {
            let middle = (low + high) / 2
            if all(middle) < Double(length) { low = middle } else { high = middle }
        }
        let other = Int64(bytes(after: high - trips))
        return max(length - Int64(others) * other, 1)
    }

    /// Returns the number of round trips from the first window until this many bytes have arrived, without
    /// losses.
    static func trips(for bytes: Double) -> Double { log2(bytes / initialWindow + 1) }

    /// Returns the number of bytes that have arrived this many round trips after the first window.
    private static func bytes(after trips: Double) -> Double {
        trips < 0 ? 0 : initialWindow * (pow(2, trips + 1) - 1)
    }
}
