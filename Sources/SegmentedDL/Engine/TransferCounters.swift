import SegmentedDLSupport

/// The totals of the requests of one download.
final class TransferCounters: Sendable {
    /// Numbers of TCP data segments that have arrived.
    struct Arrivals: Sendable {
        var segments = 0
        /// The number of segments that preceded an earlier one.
        var early = 0
        /// The number of segments that have been queued before a full line.
        var queued = 0
        /// Seconds of the shortest round trip of their connections; `nil` if none have arrived, or if it is
        /// unknown.
        var roundTrip: Double?

        mutating func add(_ other: Arrivals) {
            segments += other.segments
            early += other.early
            queued += other.queued
            roundTrip = [roundTrip, other.roundTrip].compactMap(\.self).min()
        }

        /// Returns the numbers of those that have arrived since.
        func since(_ earlier: Arrivals) -> Arrivals {
            Arrivals(
                segments: segments - earlier.segments, early: early - earlier.early,
                queued: queued - earlier.queued)
        }
    }

    struct Totals: Sendable {
        /// Connections opened, not reused.
        var connections = 0
        /// Received bytes of bodies, including unused ones.
        var bytes: Int64 = 0
        /// Active requests.
        var underway = 0
        /// Answers such as 429 and 503.
        var refusals = 0
        /// Connections that broke, or could not be opened.
        var drops = 0
        /// Requests that were retried after a wait.
        var retries = 0
        /// Requests that wait for a retry.
        var waits = 0
        /// The total seconds of the engine's threads while they received bodies, and those during which a
        /// thread was busy.
        var engine = (seconds: 0.0, busy: 0.0)
        var arrivals = Arrivals()
        /// Seconds for which writes waited for the disk.
        var diskSeconds = 0.0

        /// True if no request is active until a wait ends.
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
        try await Task.sleep(for: .seconds(seconds))
    }

    /// A thread that receives a body was busy for a part of the last seconds.
    func engineWorked(for busy: Double, of seconds: Double) {
        state.withLock { state in
            state.engine.seconds += seconds
            state.engine.busy += busy
        }
    }

    /// Counts TCP segments that have arrived.
    func arrived(_ new: Arrivals) {
        state.withLock { $0.arrivals.add(new) }
    }

    /// Returns the TCP segments so far, with the shortest round trip since the last call.
    func takeArrivals() -> Arrivals {
        state.withLock { state in
            defer { state.arrivals.roundTrip = nil }
            return state.arrivals
        }
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
