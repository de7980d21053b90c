import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// The downloads of one command, with their progress on the terminal.
struct FetchRun: Sendable {
    let downloader: Downloader
    let messages: MessageLog
    /// The command that follows each complete file.
    let onComplete: String?
    let trace: Trace?
    let template: RequestTemplate

    /// - Returns: The exit status.
    func run(_ files: [NamedFile], with renderer: some ProgressRenderer) async -> Int32 {
        let display = Display(renderer, messages: messages)
        let progress = RunFiles(count: files.count)
        let loop = RunLoop(display: display) { progress.snapshot }
        let ended: @Sendable (Int, String, FileOutcome) -> Void = { id, url, outcome in
            let file = progress.end(id, outcome, url: url)
            display.show { $0.finished(file, outcome: outcome) }
        }
        let (_, signal) = await loop.run {
            let tracer = trace.map { trace in Task { await trace.follow(progress) } }
            await download(files, progress, ended)
            tracer?.cancel()
        } end: { output, _ in
            output.end(progress.snapshot.overall)
        }
        return signal ?? progress.exitStatus
    }

    /// Hands the files over to the scheduler, in order, and returns when all have ended.
    private func download(
        _ files: [NamedFile], _ progress: RunFiles,
        _ ended: @escaping @Sendable (Int, String, FileOutcome) -> Void
    ) async {
        // The errors of all files are reported before any download starts, not at their turn.
        for (id, file) in files.enumerated() {
            let item = FetchItem(file, template)
            if case .failure(let error) = item.request { ended(id, item.url, FileOutcome(error)) }
        }
        let limits = downloader.limits
        let isReversed = limits.queueOrder == .lifo
        await withTaskGroup(of: Void.self) { group in
            // Enough that the scheduler never waits for a file, and no more: a list may be longer than memory
            // allows.
            var room = 2 * min(limits.mostActiveFiles, files.count) + 16
            for index in files.indices {
                let id = isReversed ? files.count - 1 - index : index
                let item = FetchItem(files[id], template)
                guard case .success(let request) = item.request else { continue }
                if room > 0 { room -= 1 } else { await group.next() }
                if Task.isCancelled { break }
                let handle = downloader.start(request)
                progress.start(id, item.url, handle)
                group.addTask { ended(id, item.url, await outcome(of: handle, request.source)) }
            }
        }
    }

    private func outcome(of handle: DownloadHandle, _ source: Source) async -> FileOutcome {
        do {
            let result = try await handle.finish()
            if let onComplete, result.outcome == .downloaded {
                try await CompletionCommand.run(
                    onComplete, path: result.path, url: source.url, size: result.length)
            }
            return .done(result)
        } catch {
            return FileOutcome(error)
        }
    }
}
