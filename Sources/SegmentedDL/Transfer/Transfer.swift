internal import Logging

/// Fetches the missing bytes of the plan, from one or several sources, over as many connections as are
/// allowed and worthwhile.
struct Transfer: Sendable {
    let sources: SourceSet
    let writer: PartWriter
    let configuration: Configuration
    let segments: SegmentCount
    let tracker: ProgressTracker
    /// The bytes of an earlier run to compare with their fingerprints.
    let resumed: [ResumedExtent]
    /// True if requests for documents about the file may run at the same time.
    let isSearching: Bool
    let owed = OwedConnections()

    /// - Parameters:
    ///   - sources: The sources of the file, at least one.
    ///   - writer: Writes the file's bytes, and holds the plan of the missing ones.
    ///   - segments: The number of connections.
    ///   - resumed: The bytes of an earlier run to compare in parallel.
    ///   - isSearching: True if requests for documents about the file may run at the same time.
    init(
        from sources: SourceSet, to writer: PartWriter, _ configuration: Configuration,
        _ segments: SegmentCount, _ tracker: ProgressTracker, resumed: [ResumedExtent] = [],
        isSearching: Bool = false
    ) {
        self.sources = sources
        self.writer = writer
        self.configuration = configuration
        self.segments = segments
        self.tracker = tracker
        self.resumed = resumed
        self.isSearching = isSearching
    }

    var plan: SharedPlan { writer.plan }

    /// Returns when every byte is written, and each piece with a digest is correct.
    ///
    /// - Parameter first: The first response, whose body is the first segment; `nil` if it cannot be
    ///   continued.
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`. The caller keeps the fetched
    ///   bytes.
    func run(first: FirstResponse?) async throws {
        try await writer.checkpointer?.begin()
        try await readBeginning()
        writer.frontier?.readBack(plan.snapshot.written)
        if writer.pieces == nil { writer.frontier?.reach(writer.gaplessEnd) { writer.gaplessEnd } }
        do {
            try await fetchAll(first)
            if let mismatch = try await writer.pieces?.mismatch(writer.takeBack) {
                throw TransferFailure.other(mismatch)
            }
            try writer.checkpointer?.checkNothingIsLost()
        } catch {
            if case TransferFailure.storage(let failure) = error, failure.isCut {
                await DiskThread.run { [writer] in writer.checkpointer?.lost(because: failure) }
            }
            throw error
        }
    }

    /// Reads the first bytes of a file that an earlier run left unfinished.
    private func readBeginning() async throws {
        let written = plan.snapshot.written
        guard !written.isEmpty else { return }
        try await DiskThread.run { [writer] in try writer.beginning.read(from: writer.part, written) }
    }

    private func fetchAll(_ first: FirstResponse?) async throws {
        guard sources.acceptRanges else {
            first?.early?.keep(0)
            return try await asStream(first)
        }
        do {
            try await inRanges(first)
        } catch TransferFailure.rangeIgnored where writer.part.keepsAll {
            try await asStream(nil)
        }
    }

    /// Discards all written bytes: a stream restarts at its first byte.
    func startOver() async throws {
        tracker.discarded(plan.snapshot.written.byteCount)
        writer.startOver()
        sources.startOver()
        // Bytes that the stream overwrites must no longer count as written.
        try await writer.checkpointer?.checkpoint()
    }

    /// Receives segments from one source, to which their bytes are attributed.
    func segmentTransfer(from source: Source.Index) -> SegmentTransfer {
        let member = sources.members[source]
        var writer = writer
        if sources.areToldApart {
            writer.contributes = { [sources] range in sources.contributed(range, by: source) }
        }
        return SegmentTransfer(
            client: member.client, writer: writer, identity: member.identity, tracker: tracker)
    }

    enum Event: Sendable {
        case connectionEnded(Source.Index, TransferFailure?)
        /// A request for the whole file has ended; see `askForWhole`.
        case wholeTried(Source.Index, TransferFailure)
        case tick
        /// The first connection's speed now shows whether others are worthwhile.
        case firstSpeedCheck
        case checkpointsEnded
        /// The bytes of the earlier run are compared.
        case resumedIsChecked
    }

    func addCheckpoints(to group: inout ThrowingTaskGroup<Event, any Error>) {
        guard let checkpointer = writer.checkpointer else { return }
        group.addTask {
            try await checkpointer.run()
            return .checkpointsEnded
        }
    }
}
