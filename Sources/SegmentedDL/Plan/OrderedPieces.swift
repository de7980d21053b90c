/// The pieces of a file that is fetched in order. Each piece is one request.
///
/// A piece is the amount of data that a connection fetches in a second: until the first piece is complete, a
/// reader cannot use the others. Very short pieces would cost more in requests than they gain.
struct OrderedPieces: Equatable, Sendable {
    static let seconds = 1.0
    static let largestBytes: Int64 = 4 * 1024 * 1024

    /// In bytes, 1 or more.
    let smallest: Int64
    /// In bytes.
    let largest: Int64

    /// - Parameters:
    ///   - minimum: The caller's minimum segment size, in bytes.
    ///   - most: The maximum size of a piece, in bytes; `nil` for the greater of `minimum` and 4 MiB.
    init(minimum: Int64, most: Int64? = nil) {
        largest = most ?? max(minimum, Self.largestBytes)
        smallest = min(minimum, largest)
    }

    /// Creates pieces so small that each connection can have two in a window, and none waits for space while
    /// the bytes are consumed as fast as they arrive. If the window holds the whole file, no connection ever
    /// waits.
    ///
    /// - Parameters:
    ///   - minimum: The caller's minimum segment size, in bytes.
    ///   - window: The size of the window, in bytes.
    ///   - length: The length of the file, in bytes.
    init(minimum: Int64, window: Int64, of length: Int64, connections: Int) {
        let connections = Int64(min(max(connections, 2), 1 << 16))
        let share = window < length ? window / (2 * connections) : max(minimum, length / connections)
        self.init(minimum: minimum, most: max(1, min(Self.largestBytes, share)))
    }

    /// Returns the first piece of a range. It is shorter than `smallest` only if the range is, and exceeds
    /// `largest` by less than `smallest`.
    ///
    /// - Parameter speed: The speed of one connection, in bytes per second; `nil` if unknown.
    func first(of range: ByteRange, speed: Double?) -> ByteRange {
        let wanted = Int64(min((speed ?? 0) * Self.seconds, Double(largest)))
        let length = max(smallest, wanted)
        // A short remainder is not worth a request.
        return range.length - length < smallest
            ? range : range.lowerBound..<(range.lowerBound + length)
    }
}
