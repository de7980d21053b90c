import SegmentedDL
import Testing

/// One way in which a server misbehaves, and the expected end of a download of its file.
struct AnswerFault: Sendable, CustomTestStringConvertible {
    /// What happens before the tested download.
    enum Preparation: Sendable {
        case none
        /// A run over one connection is interrupted in the middle.
        case interrupted
    }

    enum Outcome: Sendable {
        /// The directory contains only the file itself.
        case exact(seed: UInt64 = 1, length: Int64? = nil)
        /// No file with the final name exists.
        case error(DownloadError.Code, status: Int? = nil, Remains)
    }

    enum Remains: Sendable {
        case nothing
        /// The part file and its manifest, from which the next run resumes.
        case unfinished
        /// The bytes with a wrong digest, under another name.
        case setAside
    }

    /// A short description.
    let fault: String
    /// Defined in `Tests/TestServer/README.md`.
    let behaviour: String
    let query: String
    let outcome: Outcome
    var size: Int64 = 1_000_000
    var segments = 4
    var preparation = Preparation.none
    /// True if the caller knows the SHA-256 of the file.
    var isVerified = false
    /// True if the server stalls at times, so that the timeout should be short.
    var stalls = false
    /// The range of the number of requests to the server, including those of the preparation.
    var requests: ClosedRange<Int>?
    /// True if the bytes of the interrupted run are used.
    var keepsBytes: Bool?
    /// Statuses each of which the server must have sent at least once: otherwise the fault did not happen.
    var sees: Set<Int> = []

    init(_ fault: String, _ behaviour: String, _ query: String = "", _ outcome: Outcome = .exact()) {
        self.fault = fault
        self.behaviour = behaviour
        self.query = query
        self.outcome = outcome
    }

    var testDescription: String { "\(fault) (\(behaviour)?\(query))" }

    /// Returns a copy with some properties changed.
    func with(_ change: (inout AnswerFault) -> Void) -> AnswerFault {
        var copy = self
        change(&copy)
        return copy
    }

    func interrupted(keepsBytes: Bool? = nil) -> AnswerFault {
        with {
            $0.preparation = .interrupted
            $0.keepsBytes = keepsBytes
        }
    }

    func requests(_ count: ClosedRange<Int>) -> AnswerFault { with { $0.requests = count } }

    func requests(_ count: Int) -> AnswerFault { requests(count...count) }

    var verified: AnswerFault { with { $0.isVerified = true } }

    var stalling: AnswerFault { with { $0.stalls = true } }

    func sized(_ size: Int64, segments: Int = 4) -> AnswerFault {
        with {
            $0.size = size
            $0.segments = segments
        }
    }

    func sees(_ statuses: Int...) -> AnswerFault { with { $0.sees = Set(statuses) } }
}

extension AnswerFault {
    /// A table's heading, and its rows.
    struct Group: Sendable {
        let title: String
        let faults: [AnswerFault]
    }

    static let groups = [
        Group(title: "206 that is not what was asked for", faults: wrongRanges),
        Group(title: "Ranges that are not honoured", faults: ignoredRanges),
        Group(title: "Ranges under status 200", faults: rangesUnder200),
        Group(title: "Ranges that are refused or cut", faults: refusedRanges),
        Group(title: "Ranges that get nothing", faults: emptyRanges),
        Group(title: "Ranges behind an offset", faults: rangesBehindOffset),
        Group(title: "Lengths", faults: lengths),
        Group(title: "Where a body ends", faults: framing),
        Group(title: "Heads", faults: heads),
        Group(title: "Content encodings", faults: encodings),
        Group(title: "The file changes while it is fetched", faults: changes),
        Group(title: "The file changes between two runs", faults: changesBetweenRuns),
        Group(title: "Statuses", faults: statuses),
        Group(title: "416", faults: unsatisfiable),
        Group(title: "Redirects", faults: redirects),
        Group(title: "Signed URLs that expire", faults: expiry),
        Group(title: "Connections", faults: connections),
        Group(title: "Limits of a host", faults: limits),
        Group(title: "Reports about other programs", faults: reports),
    ]
}
