/// The number of bytes that a connection claims and writes at a time, depending on its speed.
struct SegmentPace: Equatable, Sendable {
    /// The maximum number of bytes that are collected before a write: libcurl delivers 16 KiB at a time.
    static let bufferBytes = 256 * 1024

    /// The number of bytes that a slow connection claims and writes at a time: few, so that its tail can be
    /// stolen, and a kill loses only milliseconds of its work.
    static let smallestBytes = 16 * 1024

    private(set) var claim = smallestBytes
    private(set) var write = bufferBytes

    /// Adapts to the speed.
    ///
    /// - Parameter received: The number of bytes since the last tick.
    mutating func tick(received: Int) {
        claim = Self.size(for: received)
        // A third of the bytes that arrive between two ticks. At high speed, where the number of writes
        // matters, that is the whole buffer.
        write = Self.size(for: received / 3)
    }

    private static func size(for bytes: Int) -> Int {
        max(smallestBytes, min(bytes, bufferBytes))
    }
}
