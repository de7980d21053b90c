/// Divides a file among connections to a distant server, so that all finish at the same time.
struct DistanceDivision: Equatable, Sendable {
    let connections: Int
    /// The minimum length, in bytes, of a share other than the first.
    let minimum: Int64
    /// The number of round trips from the first connection's first window to that of the others.
    let trips: Double
    /// The number of round trips by which the last connection begins later than the others; `nil` if it
    /// begins with them.
    let lateness: Double?

    /// Returns the shares in the order in which connections begin, at most one for each; `nil` if more than
    /// one would be too short.
    func shares(of whole: ByteRange) -> [ByteRange]? {
        let most = min(connections, Int(whole.length / minimum) + 1)
        return stride(from: most, to: 1, by: -1).lazy.compactMap { shares(of: whole, among: $0) }.first
    }

    private func shares(of whole: ByteRange, among count: Int) -> [ByteRange]? {
        let isLate = lateness != nil && count == connections
        let lengths = SlowStart.shares(
            of: whole.length, among: count, behind: trips, lateness: isLate ? lateness : nil)
        let last = (whole.upperBound - lengths.late)..<whole.upperBound
        let rest = (whole.lowerBound + lengths.first)..<last.lowerBound
        let others = count - (isLate ? 2 : 1)
        guard others == 0 || rest.length / Int64(others) >= minimum, !isLate || last.length >= minimum
        else { return nil }
        let first = whole.lowerBound..<rest.lowerBound
        return ([first] + Division(connections: others, minimum: minimum).equal([rest]) + [last])
            .filter { !$0.isEmpty }
    }
}
