internal import SegmentedDL
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Small files that are fetched in batches, without a run of its own for each.
///
/// They do not count as active downloads, except while closures decide about them: the connections that
/// fetch them have slots in the downloader's scheduler, which enforces the cap. Each remains `queued` until
/// it is complete or has failed, or begins alone because of a closure's answer or because it had to leave its
/// batch.
extension QueueState {
    /// The maximum number of downloads in a batch, and in all of them.
    static let mostInBatch = 32
    private static let mostBatched = 128
    /// The number of waiting downloads from which on a batch is worth its connections, which last only as
    /// long as there are batches.
    private static let fewestWaiting = 8

    enum Turn: Equatable, Sendable {
        case alone
        case inBatch(at: FilePath)
        /// After downloads of the present batches, because it would otherwise overtake them.
        case later
    }

    /// Decides how the first waiting download begins.
    func turn(of record: QueueRecord) -> Turn {
        guard let path = batchPath(of: record) else { return .alone }
        guard !batched.isEmpty else {
            return waiting.count < Self.fewestWaiting ? .alone : .inBatch(at: path)
        }
        return batched.count + Self.mostInBatch <= Self.mostBatched ? .inBatch(at: path) : .later
    }

    /// Returns true if the first waiting download comes before one in a batch. Any other one could be large,
    /// and take the places of the batch's connections while small files before it still wait.
    func precedesBatch(_ record: QueueRecord) -> Bool {
        mustBeAlone(record.id) || record.request.priority > 0 || record.hasBegun
            || batched.values.contains { records.rank(of: $0) ?? .min > record.rank }
    }

    /// Returns the expected path of a download that may be fetched in a batch. It is reserved meanwhile, and
    /// stored only right before the file receives its name.
    func batchPath(of record: QueueRecord) -> FilePath? {
        guard let acceptsInBatch, record.isPlain, !mustBeAlone(record.id), acceptsInBatch(record),
            let path = DestinationPath.expected(for: record.request)
        else { return nil }
        if let other = owner(of: path), other.id != record.id { return nil }
        return path
    }

    /// True if a download is in a batch.
    func isBatched(_ id: ID) -> Bool { run(of: id)?.batchPath != nil }

    /// True while closures decide about a download that will be in a batch.
    func isAsked(_ id: ID) -> Bool { run(of: id)?.isAsked ?? false }

    /// Makes a small file begin alone, at the place that it takes while closures decide about it.
    mutating func beginAlone(_ id: ID, run: Int, now: Date) -> [Action] {
        guard isCurrent(id, run: run) else { return [] }
        takeFromBatch(id)
        // The cap may have been lowered in the meantime.
        return passedGate(id, run: run, now: now) + putBackExcess()
    }

    /// Performs the steps of a download that has ended in a batch, except the last one.
    ///
    /// - Parameter began: The time at which its batch began.
    mutating func step(
        _ id: ID, run: Int, through states: [DownloadState], began: Date
    ) -> [Action] {
        var actions = passedGate(id, run: run, now: began)
        for state in states { actions += entered(state, id, run: run) }
        return actions
    }

    /// Returns true if a complete file in a batch may receive its name: its download has not been changed
    /// since it was requested, and its directory is not being moved.
    func mayName(_ id: ID, requestedWith request: DownloadRequest) -> Bool {
        guard var current = records[id]?.request else { return true }
        // It only determines when a file is requested.
        current.priority = request.priority
        return current == request && moving[id] == nil
    }

    /// Returns true if a file in a batch has its name, or is about to receive it.
    func isNamed(_ record: QueueRecord) -> Bool { isBatched(record.id) && record.path != nil }

    /// Records the path and the identity of a complete file before it receives its name.
    mutating func willName(_ id: ID, as identity: FileIdentity, run: Int) -> [Action] {
        guard isCurrent(id, run: run), let path = self.run(of: id)?.batchPath else { return [] }
        return (claim(path, for: id) ?? []) + edit(id) { $0.identity = identity }
    }
}
