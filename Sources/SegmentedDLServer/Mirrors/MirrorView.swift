/// A mirror at one moment.
struct MirrorView: Sendable {
    let id: GID
    let record: MirrorRecord
    let state: MirrorState
    /// The begin of the run that is under way, in seconds since 1970.
    var began: Double?
    /// The run that is under way.
    var run: MirrorProgress.Snapshot?

    /// The figures of the run that is under way, else of the last one.
    var tally: MirrorTally { run?.tally ?? record.last?.tally ?? MirrorTally() }
}
