/// Decides whether an idle connection should take over the tail of a segment, and how much of it.
///
/// A steal costs the thief one connection setup. It is therefore done only if the download finishes earlier
/// despite this cost, and the cut is placed so that both finish at the same time.
struct StealRule: Equatable, Sendable {
    /// The minimum number of seconds of receiving after which a segment's speed is trusted (slow start).
    static let shortestObservationSeconds = 0.05

    /// After this many seconds without a byte, a segment without a known speed is assumed to be slow.
    static let longestObservationSeconds = 0.3

    /// A segment that has just begun, and is expected to end within this many seconds, is not cut.
    static let shortestRestSeconds = 0.2

    /// While no speed is known, no shorter tail is stolen, even after a long wait.
    static let smallestTailBytes: Int64 = 64 * 1024

    /// A steal that finishes the download less than this many seconds earlier is not worth its request.
    static let smallestGainSeconds = 0.02

    /// While no speed is known, no tail shorter than this many bytes is stolen.
    var minimum = Self.smallestTailBytes

    /// The seconds from a connection's request to its first byte, as measured in this download.
    var setupTime: Double

    /// The speed that the thief is expected to reach, in bytes per second.
    var thiefSpeed: Double?

    /// The offset at which to cut a victim that has `remaining` unclaimed bytes from `claimed` on; `nil` if
    /// stealing does not pay.
    ///
    /// With speeds v and t of victim and thief, setup time c and R remaining bytes, both finish at the same
    /// time if the thief is assigned x = (R/v − c)·v·t/(v + t) bytes. Without a measured speed, both are
    /// assumed to be equal and the setup to be free, which halves the remainder.
    func cut(claimed: Int64, end: Int64, victimSpeed: Double?) -> Int64? {
        let remaining = end - claimed
        guard let victimSpeed, let thiefSpeed, thiefSpeed > 0 else {
            return remaining >= 2 * minimum ? end - remaining / 2 : nil
        }
        // A victim that receives nothing would never finish; one byte per second keeps the formula finite.
        let victim = max(victimSpeed, 1)
        let spare = Double(remaining) / victim - setupTime
        guard spare > 0 else { return nil }
        let taken = spare * victim * thiefSpeed / (victim + thiefSpeed)
        guard taken >= 1, taken / victim >= Self.smallestGainSeconds else { return nil }
        return end - min(Int64(taken), remaining)
    }
}
