/// Counts the seconds in which a program looked at the clock as often as it does.
///
/// A machine that sleeps and a program that is stopped (Ctrl-Z) do not look, although the clock goes on. So a
/// gap that is much longer than those before it is a break, and does not count. Someone who looks rarely, or
/// several times at one moment, has no breaks.
public struct AttendedTime: Sendable {
    /// The number of times that a break is longer than the gaps before it.
    private static let factor = 4.0

    /// The shortest time in seconds over which gaps show how often someone looks.
    private static let shortestRhythm = 1.0

    /// The shortest break in seconds; also how long a gap is remembered.
    private static let shortestBreak = 3.0

    /// The seconds since the first look, without breaks.
    public private(set) var seconds = 0.0

    private var looks: [Double] = []

    /// Creates one that has not been looked at.
    public init() {}

    /// Counts the time up to this moment.
    ///
    /// - Parameter now: Seconds on any clock.
    public mutating func look(at now: Double) {
        if let last = looks.last {
            if isBreak(now - last) {
                looks = []
            } else {
                seconds += max(0, now - last)
            }
        }
        looks.append(now)
        while looks.count > 2, looks[1] <= now - Self.shortestBreak { looks.removeFirst() }
    }

    private func isBreak(_ gap: Double) -> Bool {
        guard gap > Self.shortestBreak, let first = looks.first, let last = looks.last,
            last - first >= Self.shortestRhythm
        else { return false }
        let longest = zip(looks.dropFirst(), looks).map { $0 - $1 }.max() ?? 0
        return gap > longest * Self.factor
    }
}
