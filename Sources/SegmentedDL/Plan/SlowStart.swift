import Foundation

/// The bytes that a connection receives while its server's congestion window doubles each round trip (RFC
/// 5681), starting from ten segments (RFC 6928).
enum SlowStart {
    /// The bytes of an Ethernet packet, with time stamps.
    static let segment = 1448.0
    private static let initialWindow = 10 * segment
    /// Round trips. A window that has doubled more often has usually reached a limit.
    private static let longest = 8.0

    /// Returns the share of the first connection, which has begun, so that others end together with it.
    ///
    /// - Parameters:
    ///   - length: The bytes of all.
    ///   - connections: Their number, 1 or more.
    ///   - trips: Round trips until the first window of the others arrives.
    static func firstShare(of length: Int64, among connections: Int, behind trips: Double) -> Int64 {
        let others = Double(connections - 1)
        func all(_ time: Double) -> Double { bytes(after: time) + others * bytes(after: time - trips) }
        // Beyond slow start all are equally fast.
        guard all(longest) >= Double(length) else { return (length - 1) / Int64(connections) + 1 }
        var (low, high) = (0.0, longest)
        for _ in 0..<32 {
            let middle = (low + high) / 2
            if all(middle) < Double(length) { low = middle } else { high = middle }
        }
        let other = Int64(bytes(after: high - trips))
        return max(length - Int64(others) * other, 1)
    }

    /// Returns the round trips from the first window until this many bytes have arrived, if none are lost.
    static func trips(for bytes: Double) -> Double { log2(bytes / initialWindow + 1) }

    /// Returns the bytes that have arrived this many round trips after the first window.
    private static func bytes(after trips: Double) -> Double {
        trips < 0 ? 0 : initialWindow * (pow(2, trips + 1) - 1)
    }
}
