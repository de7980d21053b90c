internal import Logging

/// The transfer of one file to a descriptor over several connections. Bytes that arrive early are buffered in
/// a window; while it is full, no further bytes are requested.
struct WindowedTransfer: Sendable {
    let download: FileDownload
    let primary: PrimarySource
    let output: PipeOutput
    /// Bytes.
    let length: Int64

    private var configuration: Configuration { download.configuration }

    /// Fetches the file, and returns when all bytes are written, or when the rest must be fetched as a
    /// stream: because the disk has no space for a window, or no source supports ranges any longer.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func run() async throws {
        let plan = SharedPlan(SegmentPlan(total: length))
        guard let window = await window(plan) else { return }
        let drain = WindowDrain(window, to: output)
        do {
            try await fetch(plan, window, drain)
        } catch TransferFailure.rangeIgnored {
            try await drain.finish(at: plan.snapshot.gaplessEnd)
        } catch {
            drain.stop()
            throw error
        }
    }

    private func fetch(_ plan: SharedPlan, _ window: WindowFile, _ drain: WindowDrain) async throws {
        let sources = download.sources(primary, nil, written: ByteRangeSet(), hasPieces: false)
        let segments = download.request.segments ?? configuration.segments
        let connections = Workers(fetching: length, from: sources.hosts, segments, configuration).wanted
        let pieces = OrderedPieces(
            minimum: configuration.minimumSegmentSize,
            window: WindowFile.room(of: window.size, for: length), of: length,
            connections: connections)
        plan.withLock { plan, _ in plan.pieces = pieces }
        download.tracker.follows(plan)
        let transfer = Transfer(
            from: sources, to: PartWriter(part: window, plan: plan, drain: drain), configuration, segments,
            download.tracker)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await transfer.run(first: primary.first) }
            group.addTask { try await drain.finish(at: length) }
            for try await _ in group {}
        }
    }

    /// Creates the window; `nil` if the disk has no space for it.
    private func window(_ plan: SharedPlan) async -> WindowFile? {
        let size = min(configuration.windowBytes, length)
        let directory = SystemCalls.temporaryDirectory
        do {
            return try await DiskThread.run { [name = output.name] in
                try WindowFile(in: directory, for: name, size: size, plan: plan)
            }
        } catch {
            let reason = (error as? StorageError)?.clause ?? "\(error)"
            configuration.logger.notice(
                "\(download.request.source): only one connection, because no temporary file could be created for out-of-order bytes: \(reason); set TMPDIR to another directory"
            )
            return nil
        }
    }
}
