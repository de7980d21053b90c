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
