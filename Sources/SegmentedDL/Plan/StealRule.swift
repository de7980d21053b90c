/// Decides whether an idle connection should take over the tail of a segment, and how much of it.
///
/// A steal costs the thief one connection setup, so it is done only if the download ends earlier after paying
/// for it; the cut is placed so that both finish together.
struct StealRule: Equatable, Sendable {
    /// The minimum seconds of receiving after which a segment's speed is trusted (slow start).
    static let shortestObservationSeconds = 0.05

    /// After this many seconds without a byte, a segment without a known speed is assumed to be slow.
    static let longestObservationSeconds = 0.3

    /// A segment that has just begun, and is expected to end within this many seconds, is not cut.
    static let shortestRestSeconds = 0.2

    /// While no speed is known, no shorter tail is stolen, even after a long wait.
    static let smallestTailBytes: Int64 = 64 * 1024

    /// A steal that ends the download less than this many seconds earlier is not worth its request.
    static let smallestGainSeconds = 0.02

    /// While no speed is known, no tail shorter than this many bytes is stolen.
    var minimum = Self.smallestTailBytes

    /// Seconds from the request for a connection to its first byte, as measured in this download.
    var setupTime: Double

    /// Bytes per second that the thief is expected to reach.
    var thiefSpeed: Double?

    /// The offset at which to cut a victim that has `remaining` unclaimed bytes from `claimed` on; `nil` if
    /// stealing does not pay.
    ///
    /// With speeds v and t of victim and thief, setup time c and R remaining bytes, both end together if the
    /// thief takes x = (R/v − c)·v·t/(v + t). Without a measured speed both are assumed to be equal and the
    /// setup to be free, which halves the rest.
    func cut(claimed: Int64, end: Int64, victimSpeed: Double?) -> Int64? {
        let remaining = end - claimed
        guard let victimSpeed, let thiefSpeed, thiefSpeed > 0 else {
            return remaining >= 2 * minimum ? end - remaining / 2 : nil
        }
        // A victim that receives nothing would never "end"; one byte per second keeps the formula finite.
        let victim = max(victimSpeed, 1)
        let spare = Double(remaining) / victim - setupTime
        guard spare > 0 else { return nil }
        let taken = spare * victim * thiefSpeed / (victim + thiefSpeed)
        guard taken >= 1, taken / victim >= Self.smallestGainSeconds else { return nil }
        return end - min(Int64(taken), remaining)
    }
}
