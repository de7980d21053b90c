internal import SegmentedDL
internal import SegmentedDLMirror

/// A mirror as it is stored, so that it outlives the daemon. Members that are added later must be optional,
/// because records of earlier versions lack them.
struct MirrorRecord: Sendable, Equatable, Codable {
    var order: MirrorOrder
    /// Seconds since 1970.
    var added: Double
    /// True from the request to the end of the run, so that it runs again after the daemon was killed.
    var isWanted = true
    /// The last run that ended.
    var last: MirrorOutcome?
}

/// The outcome of a mirror's run.
struct MirrorOutcome: Sendable, Equatable, Codable {
    var ending: MirrorReport.Ending
    var tally: MirrorTally
    /// Seconds since 1970.
    var began: Double
    var ended: Double
    /// A sentence about the failure of the run as a whole.
    var problem: String?
    /// The name of the digest list that the run has written to the directory, for `sha256sum -c`.
    var proof: String?
}

enum MirrorState: String, Sendable, CaseIterable {
    /// It is waiting for other mirrors to end.
    case waiting
    case running
    /// It is being stopped, and is writing checkpoints.
    case stopping
    /// It was stopped, or has never run.
    case stopped
    /// Every file of the source exists, complete and verified.
    case complete
    /// Some files failed.
    case incomplete
    /// The source could not be read to its end, or the directory cannot be used.
    case failed
}

extension MirrorRecord {
    /// The state of an inactive mirror.
    var restingState: MirrorState {
        if isWanted { return .waiting }
        guard let last else { return .stopped }
        return switch last.ending {
        case .finished: last.tally.failed == 0 ? .complete : .incomplete
        case .sourceFailed, .invalidJob: .failed
        case .stopped, .cancelled: .stopped
        }
    }
}

/// A snapshot of a mirror.
struct MirrorView: Sendable {
    let id: GID
    let record: MirrorRecord
    let state: MirrorState
    /// The start of the current run, in seconds since 1970.
    var began: Double?
    var run: MirrorProgress.Snapshot?

    /// The figures of the current run, otherwise of the last one.
    var tally: MirrorTally { run?.tally ?? record.last?.tally ?? MirrorTally() }
}
