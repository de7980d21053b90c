/// Determines how many bytes a connection claims and writes at a time, depending on its speed.
struct SegmentPace: Equatable, Sendable {
    /// The maximum number of bytes that are collected before a write: libcurl delivers at most 16 KiB at a
    /// time.
    static let bufferBytes = 256 * 1024

    /// The number of bytes that a slow connection claims and writes at a time: small, so that its tail can be
    /// stolen, and a kill loses only milliseconds of work.
    static let smallestBytes = 16 * 1024

    private(set) var claim = smallestBytes
    private(set) var write = bufferBytes

    /// The ticks since the last byte, and the longest such pause so far.
    private var silentTicks = 0
    private var longestPause = 0

    /// Adapts to the speed.
    ///
    /// - Parameter received: The number of bytes since the last tick.
    mutating func tick(received: Int) {
        noteArrival(received: received)
        claim = Self.size(for: received)
        // A third of the bytes that arrive between two ticks. At high speed, where the number of writes
        // matters, that is the whole buffer.
        write = Self.size(for: received / 3)
    }

    /// Records whether anything has arrived since the last tick.
    mutating func noteArrival(received: Int) {
        guard received > 0 else { return silentTicks += 1 }
        longestPause = max(longestPause, silentTicks)
        silentTicks = 0
    }

    /// True if the connection paused and then continued; `nil` if it is silent and may still continue.
    var hasPaused: Bool? {
        if longestPause >= Self.pauseTicks { return true }
        return silentTicks >= Self.pauseTicks ? nil : false
    }

    private static let pauseTicks = Int(
        (PauseRecord.shortestPauseSeconds / CurlLoop.tickIntervalSeconds).rounded())

    private static func size(for bytes: Int) -> Int {
        max(smallestBytes, min(bytes, bufferBytes))
    }
}
