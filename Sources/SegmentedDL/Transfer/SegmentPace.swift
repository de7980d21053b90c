/// How many bytes a connection claims and writes at a time, by its speed.
struct SegmentPace: Equatable, Sendable {
    /// Bytes are gathered up to this many before they are written: libcurl hands them over 16 KiB at a time.
    static let bufferSize = 256 * 1024

    /// What a slow connection claims and writes at a time: little, so that its tail can be stolen, and so
    /// that a kill loses milliseconds of it.
    static let smallest = 16 * 1024

    private(set) var claim = smallest
    private(set) var write = bufferSize

    /// - Parameter received: Bytes since the last tick.
    mutating func tick(received: Int) {
        claim = Self.size(for: received)
        // A third of what comes between two ticks: at speed that is the whole buffer, where writes cost.
        write = Self.size(for: received / 3)
    }

    private static func size(for bytes: Int) -> Int {
        max(smallest, min(bytes, bufferSize))
    }
}
