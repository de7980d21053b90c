/// Divides the missing bytes among connections.
struct Division: Equatable, Sendable {
    private static let smallestOrderedPieceBytes: Int64 = 16 * 1024 * 1024

    let connections: Int
    /// The minimum length, in bytes, of a share that a cut may create.
    let minimum: Int64

    /// Returns shares of nearly equal length, one for each connection.
    func equal(_ ranges: [ByteRange]) -> [ByteRange] {
        guard connections > 1 else { return ranges }
        let bytes = ranges.reduce(0) { $0 + $1.length }
        let share = max(minimum, max(bytes - 1, 0) / Int64(connections) + 1)
        return ranges.flatMap { pieces(of: $0, atMost: share) }
    }

    /// Returns ever smaller pieces to fetch in order, so that the contiguous bytes from the start of the file
    /// are never far behind, least of all at the end.
    ///
    /// The length of the first pieces is half of a connection's share. Each piece costs a request, so none is
    /// smaller than necessary. Bytes that are hashed in a fraction of a second may be left for the end.
    func ordered(_ ranges: [ByteRange]) -> [ByteRange] {
        guard connections > 1 else { return ranges }
        var left = ranges.reduce(0) { $0 + $1.length }
        let smallest = max(minimum, min(Self.smallestOrderedPieceBytes, left / Int64(connections)))
        var pieces: [ByteRange] = []
        for var range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            while !range.isEmpty {
                let exact = max(smallest, left / 2 / Int64(connections))
                let wanted = exact >= 64 * 1024 ? exact & ~4095 : exact
                let length = range.length - wanted < smallest ? range.length : wanted
                pieces.append(range.lowerBound..<(range.lowerBound + length))
                range = (range.lowerBound + length)..<range.upperBound
                left -= length
            }
        }
        return pieces
    }

    private func pieces(of range: ByteRange, atMost share: Int64) -> [ByteRange] {
        let count = max(1, min((range.length - 1) / share + 1, range.length / max(minimum, 1)))
        return (0..<count).map { index in
            part(index, of: count, in: range)..<part(index + 1, of: count, in: range)
        }
    }

    /// Returns the offset at which the `index`-th of `count` nearly equal parts begins. It is on a page
    /// boundary, unless a part would become too small.
    private func part(_ index: Int64, of count: Int64, in range: ByteRange) -> Int64 {
        guard index > 0 else { return range.lowerBound }
        guard index < count else { return range.upperBound }
        let exact = range.lowerBound + range.length / count * index
        return range.length / count >= max(minimum, 64 * 1024) + 4096 ? exact & ~4095 : exact
    }
}
