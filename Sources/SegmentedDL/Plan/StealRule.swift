/// Decides whether an idle connection should take the tail of a segment, and how much of it.
///
/// A steal costs the thief one connection set-up, so it is done only when the download ends earlier after
/// paying for it; the cut is placed so that both ends finish together.
struct StealRule: Equatable, Sendable {
    /// Below this many seconds of receiving, a segment's speed is not believed (slow start).
    static let shortestObservation = 0.05

    /// After this many seconds without a byte, what no speed is known of is taken to be slow.
    static let longestObservation = 0.3

    /// What has just begun, and is expected to end within so many seconds, is not cut.
    static let shortestRest = 0.2

    /// As long as no speed is known, no tail shorter than this many bytes is stolen.
    static let smallestTail: Int64 = 64 * 1024

    /// A steal that ends the download less than this many seconds earlier is not worth its request.
    static let smallestGain = 0.02

    /// Seconds from asking for a connection to its first byte, as measured in this download.
    var setupTime: Double

    /// Bytes per second that the thief is expected to reach.
    var thiefSpeed: Double?

    /// The offset at which to cut a victim that has `remaining` unclaimed bytes from `claimed` on;
    /// `nil` if stealing does not pay.
    ///
    /// With speeds v and t of victim and thief, set-up time c and R remaining bytes, both end together
    /// when the thief takes x = (R/v − c)·v·t/(v + t). Without a measured speed both are taken as equal
    /// and the set-up as free, which halves the rest.
    func cut(claimed: Int64, end: Int64, victimSpeed: Double?) -> Int64? {
        let remaining = end - claimed
        guard let victimSpeed, let thiefSpeed, thiefSpeed > 0 else {
            return remaining >= 2 * Self.smallestTail ? end - remaining / 2 : nil
        }
        // A victim that receives nothing would "end" never; one byte per second keeps the formula finite.
        let victim = max(victimSpeed, 1)
        let spare = Double(remaining) / victim - setupTime
        guard spare > 0 else { return nil }
        let taken = spare * victim * thiefSpeed / (victim + thiefSpeed)
        guard taken >= 1, taken / victim >= Self.smallestGain else { return nil }
        return end - min(Int64(taken), remaining)
    }
}
