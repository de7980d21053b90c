import SegmentedDLSupport

/// The totals of the requests of one download.
final class TransferCounters: Sendable {
    struct Totals: Sendable, Equatable {
        /// Connections that were opened, and not reused.
        var connections = 0
        /// Bytes of bodies received, including those that were not used.
        var bytes: Int64 = 0
        /// Requests that have not ended.
        var underway = 0
    }

    private let state = Lock(Totals())

    var totals: Totals { state.withLock { $0 } }

    func began() {
        state.withLock { $0.underway += 1 }
    }

    func ended(connections: Int, bytes: Int64) {
        state.withLock { state in
            state.underway -= 1
            state.connections += connections
            state.bytes += bytes
        }
    }
}
