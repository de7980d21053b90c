import SegmentedDL
import SegmentedDLOptions
import SystemPackage

/// The downloads of an aria2 command line.
struct Aria2Run: Sendable {
    /// The polling interval for a file that has not begun.
    private static let interval = Duration.milliseconds(50)

    let plan: Aria2Plan
    private let results = Aria2Results()
    private let hooks: Aria2Hooks
    /// Receives the bytes of a dry run; `nil` otherwise.
    private let nowhere: FileDescriptor?
    /// The files to resume under their names. Determined before anything starts, because later they could be
    /// files created by this run.
    private let continued: Set<Int>
    /// The files of --log and --save-session, whose names no download receives.
    private let outputs: RunOutputs

    /// - Throws: `Errno` if a dry run cannot discard its bytes; `DownloadError` if a download and another
    ///   file of the run have the same name.
    init(_ plan: Aria2Plan) throws {
        self.plan = plan
        hooks = Aria2Hooks(plan.values)
        nowhere = plan.values.flag("dry-run") ? try .open("/dev/null", .writeOnly) : nil
        continued = Set(plan.downloads.indices.filter { plan.downloads[$0].hasFileToContinue })
        let log = plan.values.nonEmpty("log")
        outputs = try RunOutputs([
            ("--log", log == "-" ? nil : log), ("--save-session", plan.values.nonEmpty("save-session")),
        ])
        try outputs.check(requests)
    }

    private var requests: RunRequests { RunRequests(plan.downloads.indices.lazy.map(request)) }

    /// - Returns: aria2's exit status.
    /// - Throws: `DownloadError` for a setting out of range.
    func run(style: Aria2Style, output: TextOutput, log: TextOutput?) async throws -> Int32 {
        let messages = MessageLog()
        var configuration = plan.configuration
        configuration.logger = messages.logger(verbosity: style.level.verbosity)
        let console = Aria2Console(
            plan.downloads, results: results, style: style, output: output, log: log)
        for remark in plan.remarks { console.write(remark.level, remark.text) }
        console.write(.notice, "Downloading \(plan.downloads.count) item(s)")
        try await Downloader.withDownloader(configuration) { downloader in
            _ = await fetch(downloader, messages).run(with: console)
        }
        save(console)
        return results.exitStatus(of: plan.downloads.count)
    }

    private func fetch(_ downloader: Downloader, _ messages: MessageLog) -> FetchRun {
        let seconds = plan.values.number("stop")
        return FetchRun(
            downloader: downloader, messages: messages,
            requests: requests, outputs: outputs,
            limit: seconds > 0 ? .seconds(seconds) : nil, completing: check, follow: follow, ended: ended)
    }

    private func request(_ id: Int) -> RunRequest {
        let download = plan.downloads[id]
        do {
            var request = try download.request()
            if continued.contains(id) {
                request.takesOver = true
                if request.ifExists == .rename { request.ifExists = .fail }
            }
            if let nowhere {
                request.destination = .descriptor(nowhere)
                request.checksums = []
            }
            return .success(request)
        } catch {
            var shown = error
            shown.url = download.shownURI
            return .failure(shown)
        }
    }

    /// Adds a check of the response.
    @Sendable private func check(_ id: Int, _ task: inout DownloadTask) {
        let (download, request) = (plan.downloads[id], task.request)
        task.keepsUnfinished = request.takesOver
        task.hooks.examine = { path, type throws(DownloadError) in
            try download.refuseMetalink(path, type: type)
            if !request.takesOver, !request.startsOver { try download.checkIsFree(path) }
        }
    }

    private var isDryRun: Bool { nowhere != nil }

    /// Follows a file until it begins.
    @Sendable private func follow(_ id: Int, _ handle: DownloadHandle) async {
        guard isDryRun || hooks.program(for: .start) != nil else { return }
        for await progress in handle.progress(every: Self.interval) where progress.state != .queued {
            reportStart(id)
            guard isDryRun else { return }
            if progress.state != .probing { return handle.cancel() }
        }
    }

    @Sendable private func ended(
        _ id: Int, _ request: RunRequest, _ end: FetchRun.Finished
    ) async throws -> DownloadResult {
        if case .success = request { reportStart(id) }
        let download = plan.downloads[id]
        do {
            let result = try isDryRun ? Self.looked(end) : end.get()
            results.end(id, 0)
            hooks.run(.complete, download, path: result.path)
            return result
        } catch {
            let status = Aria2Status.of(
                error, boundsNotFound: download.values.number("max-file-not-found") > 0)
            results.end(id, status)
            hooks.run(status == nil ? .stop : .error, download, path: download.path())
            throw error
        }
    }

    /// A dry run cancels each download after the response.
    private static func looked(_ end: FetchRun.Finished) throws -> DownloadResult {
        do {
            return try end.get()
        } catch let error as DownloadError where error.code == .cancelled {
            return DownloadResult(
                outcome: .skipped, path: nil, length: 0, bytesWritten: 0, duration: .zero, connections: 0)
        }
    }

    private func reportStart(_ id: Int) {
        guard results.begin(id) else { return }
        hooks.run(.start, plan.downloads[id], path: plan.downloads[id].path())
    }

    private func save(_ console: Aria2Console) {
        guard let path = plan.values.nonEmpty("save-session") else { return }
        do {
            try Aria2Session.write(
                Aria2Session.text(of: plan.downloads) { results.status(of: $0) }, to: path)
            console.write(.notice, "Serialized session to '\(path)' successfully.")
        } catch {
            console.write(.error, "Failed to serialize session to '\(path)': \(error)")
        }
    }
}
