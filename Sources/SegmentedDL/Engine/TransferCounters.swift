import SegmentedDLSupport

/// The totals of one download's requests.
final class TransferCounters: Sendable {
    /// Numbers of TCP data segments that have arrived.
    struct Arrivals: Sendable {
        var segments = 0
        /// The number of segments that arrived ahead of an earlier one.
        var early = 0
        /// The number of segments that were queued before a saturated link.
        var queued = 0
        /// The shortest round-trip time of their connections, in seconds; `nil` if no segments have arrived,
        /// or if it is unknown.
        var roundTrip: Double?

        mutating func add(_ other: Arrivals) {
            segments += other.segments
            early += other.early
            queued += other.queued
            roundTrip = [roundTrip, other.roundTrip].compactMap(\.self).min()
        }

        /// Returns the numbers of segments that have arrived since an earlier snapshot.
        func since(_ earlier: Arrivals) -> Arrivals {
            Arrivals(
                segments: segments - earlier.segments, early: early - earlier.early,
                queued: queued - earlier.queued)
        }
    }

    struct Totals: Sendable {
        /// The number of connections that were opened, not reused.
        var connections = 0
        /// The number of body bytes received, including unused ones.
        var bytes: Int64 = 0
        /// The number of active requests.
        var underway = 0
        /// The number of responses such as 429 and 503.
        var refusals = 0
        /// The number of connections that broke, or could not be opened.
        var drops = 0
        /// The number of requests that were retried after a wait.
        var retries = 0
        /// The number of requests that are waiting for a retry.
        var waits = 0
        /// The total seconds for which the engine's threads received bodies, and those during which a thread
        /// was busy.
        var engine = (seconds: 0.0, busy: 0.0)
        var arrivals = Arrivals()
        /// The number of seconds for which writes waited for the disk.
        var diskSeconds = 0.0

        /// True if no request is active, and one is waiting for a retry.
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

    /// Waits before a retry.
    ///
    /// - Throws: `CancellationError`.
    func wait(seconds: Double) async throws {
        state.withLock { $0.waits += 1 }
        defer { state.withLock { $0.waits -= 1 } }
        try await Task.sleep(for: Duration.bounded(seconds: seconds).asSleep)
    }

    /// Records that a thread that receives a body was busy for some of the last seconds.
    func engineWorked(for busy: Double, of seconds: Double) {
        state.withLock { state in
            state.engine.seconds += seconds
            state.engine.busy += busy
        }
    }

    /// Adds TCP segments that have arrived.
    func arrived(_ new: Arrivals) {
        state.withLock { $0.arrivals.add(new) }
    }

    /// Returns the totals of TCP segments so far, with the shortest round-trip time since the last call.
    func takeArrivals() -> Arrivals {
        state.withLock { state in
            defer { state.arrivals.roundTrip = nil }
            return state.arrivals
        }
    }

    /// Records the duration of a write. A copy into memory takes well under a millisecond.
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
