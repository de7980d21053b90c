import SegmentedDLSupport

/// The counters and requests of one test case, so that concurrent tests on one server do not affect each
/// other.
final class CaseState: Sendable {
    private struct State {
        var requests: Int64 = 0
        var laterRequests: Int64 = 0
        /// The active requests.
        var running: [RequestRecord] = []
        var peak = 0
        var tokenUses: [String: Int64] = [:]
        var hasHeld = false
        var isReleased = false
        /// The number of requests that the first bytes wait for.
        var awaited: Int64 = 0
        var line: SharedPacer?
        var records: [RequestRecord] = []
    }

    private let state = Lock(State())

    func begin(_ origin: RequestRecord.Origin, isLater: Bool) -> RequestRecord {
        state.withLock { state in
            state.requests += 1
            // A client may open a connection right after it has closed another: the closed one has ended,
            // although the thread that sends to it has not noticed yet.
            let active = state.running.count { !Socket.isHungUp($0.origin.descriptor) } + 1
            state.peak = max(state.peak, active)
            if isLater { state.laterRequests += 1 }
            let place = RequestRecord.Place(
                ordinal: state.requests, laterOrdinal: isLater ? state.laterRequests : 0, active: active)
            let record = RequestRecord(origin: origin, place: place)
            state.running.append(record)
            state.records.append(record)
            return record
        }
    }

    /// False if the request has already been finished.
    func finish(_ record: RequestRecord, isComplete: Bool) -> Bool {
        state.withLock { state in
            record.progress.withLock { progress in
                guard progress.ended == nil else { return false }
                progress.ended = monotonicSeconds()
                progress.isComplete = isComplete
                state.running.removeAll { $0 === record }
                return true
            }
        }
    }

    /// Occupies one of `limit` slots for the duration of the request.
    func admit(_ record: RequestRecord, limit: Int64) -> Bool {
        state.withLock { state in
            // As in `begin`: a client that has closed a connection occupies no slot, even if no thread of the
            // server has noticed.
            let admitted = state.running.count { running in
                running.progress.withLock { $0.isAdmitted } && !Socket.isHungUp(running.origin.descriptor)
            }
            guard admitted < limit else { return false }
            record.progress.withLock { $0.isAdmitted = true }
            return true
        }
    }

    /// True once.
    func holdsFirst() -> Bool {
        state.withLock { state in
            defer { state.hasHeld = true }
            return !state.hasHeld
        }
    }

    /// Sends held answers at full speed, and holds no further ones.
    func release() {
        state.withLock { $0.isReleased = true }
    }

    var isReleased: Bool { state.withLock { $0.isReleased } }

    /// Sends the first bytes of the file slowly until this many requests have arrived.
    func awaitRequests(_ count: Int64) {
        state.withLock { $0.awaited = max($0.awaited, count) }
    }

    var isAwaiting: Bool { state.withLock { $0.requests < $0.awaited } }

    /// The line of the case, with the speed in its first request.
    func line(bytesPerSecond: Int64) -> SharedPacer {
        state.withLock { state in
            let line = state.line ?? SharedPacer(bytesPerSecond: bytesPerSecond)
            state.line = line
            return line
        }
    }

    func newToken() -> String {
        state.withLock { state in
            let token = "t\(state.tokenUses.count + 1)"
            state.tokenUses[token] = 0
            return token
        }
    }

    var tokenCount: Int64 {
        state.withLock { Int64($0.tokenUses.count) }
    }

    /// Counts a use of the token; false if it is unknown or exhausted.
    func use(token: String, limit: Int64) -> Bool {
        state.withLock { state in
            guard let uses = state.tokenUses[token], uses < limit else { return false }
            state.tokenUses[token] = uses + 1
            return true
        }
    }

    var records: [RequestRecord] {
        state.withLock { $0.records }
    }

    var summary: JSON {
        let (records, peak, active) = state.withLock { ($0.records, $0.peak, $0.running.count) }
        let bytes = records.reduce(Int64(0)) { $0 + $1.bytesSent.withLock { $0 } }
        return .object([
            ("requests", .int(Int64(records.count))),
            ("peakConcurrent", .int(Int64(peak))),
            ("connections", .int(Int64(Set(records.map(\.origin.connection)).count))),
            ("bytesSent", .int(bytes)),
            ("running", .int(Int64(active))),
        ])
    }
}
