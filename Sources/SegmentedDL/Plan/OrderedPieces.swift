/// The pieces of a file that is fetched in order. Each piece is one request.
///
/// A piece is what a connection fetches in a second: until the first piece arrives, the others are useless to
/// a reader. Very short ones would cost more requests than they are worth.
struct OrderedPieces: Equatable, Sendable {
    static let seconds = 1.0
    static let largestBytes: Int64 = 4 * 1024 * 1024

    /// Bytes, 1 or more.
    let smallest: Int64
    /// Bytes.
    let largest: Int64

    /// - Parameters:
    ///   - minimum: The minimum segment size, in bytes, that the caller allows.
    ///   - most: The maximum bytes of a piece; `nil` for the greater of `minimum` and 4 MiB.
    init(minimum: Int64, most: Int64? = nil) {
        largest = most ?? max(minimum, Self.largestBytes)
        smallest = min(minimum, largest)
    }

    /// Creates pieces of which each connection can have two in a window, so that none waits for space while
    /// the bytes are consumed as fast as they arrive. If the window holds the whole file, none ever waits.
    ///
    /// - Parameters:
    ///   - minimum: The minimum segment size, in bytes, that the caller allows.
    ///   - window: Bytes.
    ///   - length: The length of the file in bytes.
    init(minimum: Int64, window: Int64, of length: Int64, connections: Int) {
        let connections = Int64(min(max(connections, 2), 1 << 16))
        let share = window < length ? window / (2 * connections) : max(minimum, length / connections)
        self.init(minimum: minimum, most: max(1, min(Self.largestBytes, share)))
    }

    /// Returns the first piece of a range: shorter than `smallest` only if the range is, and longer than
    /// `largest` only by less than `smallest`.
    ///
    /// - Parameter speed: Bytes per second of one connection; `nil` if unknown.
    func first(of range: ByteRange, speed: Double?) -> ByteRange {
        let wanted = Int64(min((speed ?? 0) * Self.seconds, Double(largest)))
        let length = max(smallest, wanted)
        // A short rest is not worth a request.
        return range.length - length < smallest
            ? range : range.lowerBound..<(range.lowerBound + length)
    }
}
