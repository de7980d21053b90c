import SegmentedDLSupport

/// The totals of the requests of one download.
final class TransferCounters: Sendable {
    /// Numbers of segments of TCP with data that have arrived.
    struct Arrivals: Sendable {
        var segments = 0
        /// The number of segments that came before an earlier one.
        var early = 0
        /// The number of segments that have waited in a queue before a full line.
        var queued = 0

        mutating func add(_ other: Arrivals) {
            segments += other.segments
            early += other.early
            queued += other.queued
        }

        /// Returns those that have arrived since.
        func since(_ earlier: Arrivals) -> Arrivals {
            Arrivals(
                segments: segments - earlier.segments, early: early - earlier.early,
                queued: queued - earlier.queued)
        }
    }

    struct Totals: Sendable {
        /// Connections that were opened, and not reused.
        var connections = 0
        /// Bytes of bodies received, including those that were not used.
        var bytes: Int64 = 0
        /// Requests that have not ended.
        var underway = 0
        /// Answers such as 429 and 503.
        var refusals = 0
        /// Connections that broke, or could not be made.
        var drops = 0
        /// Requests that were sent again after a wait.
        var retries = 0
        /// Requests that wait before they are sent again.
        var waits = 0
        /// Seconds of the engine's threads while they received bodies, added up over these, and the part in
        /// which a thread had no rest.
        var engine = (seconds: 0.0, busy: 0.0)
        var arrivals = Arrivals()
        /// Seconds for which writes waited for the disk.
        var diskSeconds = 0.0

        /// True if nothing is asked for before a wait is over.
        var isBetweenTries: Bool { waits > 0 && underway == 0 }
    }

    private let state = Lock(Totals())

    var totals: Totals { state.withLock { $0 } }

    func began() {
        state.withLock { $0.underway += 1 }
    }

    func refused() {
        state.withLock { $0.refusals += 1 }
    }

    func dropped() {
        state.withLock { $0.drops += 1 }
    }

    func retried() {
        state.withLock { $0.retries += 1 }
    }

    /// Waits before a request is sent again.
    ///
    /// - Throws: `CancellationError`.
    func wait(seconds: Double) async throws {
        state.withLock { $0.waits += 1 }
        defer { state.withLock { $0.waits -= 1 } }
        try await Task.sleep(for: .seconds(seconds))
    }

    /// A thread that receives a body had no rest for a part of the last seconds.
    func engineWorked(for busy: Double, of seconds: Double) {
        state.withLock { state in
            state.engine.seconds += seconds
            state.engine.busy += busy
        }
    }

    /// Counts segments of TCP that have arrived.
    func arrived(_ new: Arrivals) {
        state.withLock { $0.arrivals.add(new) }
    }

    /// Counts a write that took this long. A copy into memory takes well under a millisecond.
    func wrote(in seconds: Double) {
        guard seconds >= Self.shortestWait else { return }
        state.withLock { $0.diskSeconds += seconds }
    }

    private static let shortestWait = 0.002

    func ended(connections: Int, bytes: Int64) {
        state.withLock { state in
            state.underway -= 1
            state.connections += connections
            state.bytes += bytes
        }
    }
}
