internal import SegmentedDL
internal import SegmentedDLMirror

/// A mirror as it is stored: it outlives the daemon. Members that come later must be optional, because
/// records of earlier versions have none of them.
struct MirrorRecord: Sendable, Equatable, Codable {
    var order: MirrorOrder
    /// Seconds since 1970.
    var added: Double
    /// True from the order to the end of its run: a daemon that was killed runs it again.
    var isWanted = true
    /// The last run that ended.
    var last: MirrorOutcome?
}

/// A run of a mirror that has ended.
struct MirrorOutcome: Sendable, Equatable, Codable {
    var ending: MirrorReport.Ending
    var tally: MirrorTally
    /// Seconds since 1970.
    var began: Double
    var ended: Double
    /// A sentence on the failure of the run as a whole.
    var problem: String?
    /// The name of the list of digests that the run has left in the directory, for `sha256sum -c`.
    var proof: String?
}

/// The state of a mirror.
enum MirrorState: String, Sendable, CaseIterable {
    /// Other mirrors run.
    case waiting
    case running
    /// It was asked to stop, and writes its checkpoints.
    case stopping
    /// It was stopped, or has never run.
    case stopped
    /// Every file of the source is there, complete and verified.
    case complete
    /// Some files failed.
    case incomplete
    /// The source could not be read to its end, or the directory cannot be used.
    case failed
}

extension MirrorRecord {
    /// The state of a mirror that does not run.
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
