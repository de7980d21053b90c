internal import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
internal import SystemPackage

/// Runs mirrors like `segdl mirror`, inside the daemon's allowed directories.
struct MirrorRunner: Sendable {
    let downloader: Downloader
    let fence: Fence
    let usual: Authorization
    /// `nil` if the daemon only accepts URLs.
    let locate: MirrorLocator?

    /// Runs a mirror to its end. Cancelling the task stops it with checkpoints.
    ///
    /// - Returns: The name of the digest list in its directory, if the run has written one.
    @concurrent
    func run(_ order: MirrorOrder, _ progress: MirrorProgress) async -> String? {
        do {
            // A link may have been created since.
            try await DiskThread.run { [fence] in _ = try fence.directory(order.directory) }
            let located = try await located(order)
            if case .registry(let image) = located.source {
                try await run(image, located, order, progress)
            } else {
                let entries = downloader.entries(
                    of: located.source, filter: try order.wanted(), options: order.walkOptions,
                    access: located.access)
                for await event in downloader.mirror(job(order, located.access), of: entries) {
                    progress.take(event)
                }
            }
        } catch {
            let error = error as? DownloadError ?? DownloadError(.ioFailed, "\(error)", cause: error)
            progress.fail(error, at: order.directory)
        }
        return await DiskThread.run { Self.proof(in: order.root) }
    }

    /// Returns the source of a mirror.
    ///
    /// - Throws: `DownloadError`.
    func located(_ order: MirrorOrder) async throws -> LocatedMirror {
        guard order.isLocation else {
            let url = try order.url()
            return LocatedMirror(
                MirrorSource(url, order.format, prefix: order.prefix),
                try order.access(to: url, usual: usual))
        }
        guard let locate else {
            throw DownloadError(.invalidURL, "'\(Printable.text(order.source))' is not an http or https URL.")
        }
        var located = try await locate(order.source)
        located.access = try order.access(over: located.access)
        return located
    }

    /// Adds an image to the OCI layout in the mirror's directory.
    private func run(
        _ image: RegistrySource, _ located: LocatedMirror, _ order: MirrorOrder, _ progress: MirrorProgress
    ) async throws {
        var image = image
        image.layout = order.root
        var job = job(order, located.access)
        if !job.access.headers.haveAuthorization {
            job.access.credentials = image.access(with: downloader, login: located.login).credentials
        }
        job.source = .registry(image)
        let layout = ImageLayout(of: image, at: order.root)
        try await DiskThread.run { [fence] in
            for name in ["index.json", "oci-layout", "blobs/sha256/manifest"] {
                try fence.check(.file(order.root.appending(name)))
            }
            try layout.check()
        }
        let entries = downloader.entries(
            of: .registry(image), filter: try order.filter(), options: order.walkOptions, access: job.access)
        for await event in downloader.mirror(job, of: layout.entries(entries)) { progress.take(event) }
        if progress.isComplete { try await DiskThread.run { try layout.publish() } }
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
                    "'\(Printable.text(path.string))' is hidden, behind a link, too deep, or a file of the daemon, so the daemon's mirrors do not write it; exclude it, or use segdl mirror."
                )
            }
        }
        return job
    }

    /// The digest list that the mirror has written; a list from the source is not replaced.
    private static func proof(in root: FilePath) -> String? {
        ["SHA256SUMS.segdl", "SHA256SUMS"].first { name in
            (try? SystemCalls.status(root.appending(name)))?.kind == .file
        }
    }
}

extension MirrorOrder {
    /// A hub's repositories contain hidden files for Git, which `Fence` refuses.
    fileprivate func wanted() throws(DownloadError) -> PathFilter {
        guard LocationScheme(of: source) == .hub else { return try filter() }
        var order = self
        order.exclude.append(".*")
        return try order.filter()
    }

    fileprivate var walkOptions: WalkOptions {
        var options = WalkOptions()
        options.depth = depth
        return options
    }
}
