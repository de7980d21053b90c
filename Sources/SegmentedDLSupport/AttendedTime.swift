/// Counts the seconds during which a program reads the clock at its usual rate.
///
/// While the machine sleeps or the program is stopped (Ctrl-Z), the clock advances but is not read. A gap
/// that is much longer than the preceding ones is therefore a break and is not counted. A program that reads
/// the clock rarely, or several times at once, has no breaks.
public struct AttendedTime: Sendable {
    /// The minimum ratio of a break to the preceding gaps.
    private static let factor = 4.0

    /// The minimum time in seconds needed to determine the usual rate.
    private static let shortestRhythm = 1.0

    /// The minimum break in seconds; also how long a gap is remembered.
    private static let shortestBreak = 3.0

    /// The number of seconds since the first reading, excluding breaks.
    public private(set) var seconds = 0.0

    private var looks: [Double] = []

    /// Creates a count without a reading.
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
