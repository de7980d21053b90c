internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
internal import SystemPackage

/// Runs mirrors like `segdl mirror`, inside the daemon's fence.
struct MirrorRunner: Sendable {
    let downloader: Downloader
    let fence: Fence
    let usual: Authorization

    /// Runs a mirror to its end. Cancelling the task stops it with checkpoints.
    ///
    /// - Returns: The name of the digest list in its directory, if the run has written one.
    @concurrent
    func run(_ order: MirrorOrder, _ progress: MirrorProgress) async -> String? {
        do {
            // A link may have been created since.
            try await DiskThread.run { [fence] in _ = try fence.directory(order.directory) }
            let url = try order.url()
            let access = try order.access(to: url, usual: usual)
            let entries = downloader.entries(
                of: MirrorSource(url, order.format, prefix: order.prefix), filter: try order.filter(),
                options: order.walkOptions, access: access)
            for await event in downloader.mirror(job(order, access), of: entries) { progress.take(event) }
        } catch {
            let error = error as? DownloadError ?? DownloadError(.ioFailed, "\(error)", cause: error)
            progress.fail(error, at: order.directory)
        }
        return await DiskThread.run { Self.proof(in: order.root) }
    }

    private func job(_ order: MirrorOrder, _ access: MirrorAccess) -> MirrorJob {
        var job = MirrorJob(root: order.root)
        job.access = access
        job.state = MirrorJob.defaultState(in: order.root)
        job.proof = order.root
        job.expectedTypes = order.expectedTypes ?? []
        job.deletion = order.deletes ? .mirrored : .nothing
        job.pathCheck = PathCheck { [fence] path in
            do {
                try fence.check(.file(path))
            } catch {
                throw DownloadError(
                    .badPath,
                    "'\(Printable.text(path.string))' is hidden, is behind a link, too deep, or belongs to the daemon, whose mirrors do not write it; exclude it, or use segdl mirror."
                )
            }
        }
        return job
    }

    /// The digest list that the mirror has written; a list from the source keeps its name.
    private static func proof(in root: FilePath) -> String? {
        ["SHA256SUMS.segdl", "SHA256SUMS"].first { name in
            (try? SystemCalls.status(root.appending(name)))?.kind == .file
        }
    }
}

extension MirrorOrder {
    fileprivate var walkOptions: WalkOptions {
        var options = WalkOptions()
        options.depth = depth
        return options
    }
}
