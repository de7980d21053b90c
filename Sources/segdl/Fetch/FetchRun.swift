import SegmentedDL
internal import SegmentedDLQueue

/// Downloads the files of one command, and shows how it goes.
struct FetchRun: Sendable {
    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)

    let downloader: Downloader
    let messages: MessageLog
    /// The command that follows each complete file.
    let onComplete: String?
    let trace: Trace?
    /// How a file that was named becomes one that can be downloaded.
    let item: @Sendable (FetchItem.Named) -> FetchItem

    /// - Returns: The exit status.
    func carryOut(_ files: [FetchItem.Named], with renderer: any ProgressRenderer) async -> Int32 {
        let display = Display(renderer: renderer, count: files.count)
        let work = Task { await download(files, display) }
        let signals = Signals { work.cancel() }
        await work.value
        return signals.exitStatus ?? display.exitStatus
    }

    private func download(_ files: [FetchItem.Named], _ display: Display) async {
        // What is wrong is said before anything begins, not when its turn has come.
        for (id, file) in files.enumerated() {
            let item = item(file)
            guard case .failure(let error) = item.request else { continue }
            display.ended(id, item.url, FileOutcome(error))
        }
        // Not children: a stopped terminal must not stop downloads, and what is cancelled has an end to be shown.
        let shown = Task {
            for await _ in display.rings {
                await show(messages, display)
                await display.tellEnded()
            }
        }
        let updates = Task {
            while (try? await Task.sleep(for: Self.interval)) != nil {
                await show(messages, display)
                await display.update()
            }
        }
        let tracer = trace.map { trace in Task { await Self.follow(display, trace) } }
        await start(files, display)
        await shown.value
        updates.cancel()
        tracer?.cancel()
        await updates.value
        await display.end()
    }

    /// Hands the files over to the scheduler, in order, and returns when all have ended. Only so many are handed over
    /// that it never waits for one: a list may be longer than memory would like.
    private func start(_ files: [FetchItem.Named], _ display: Display) async {
        let limits = downloader.limits
        let isReversed = limits.queueOrder == .lifo
        await withTaskGroup(of: Void.self) { group in
            var room = 2 * min(limits.activeFiles, files.count) + 16
            for index in files.indices {
                let id = isReversed ? files.count - 1 - index : index
                let item = item(files[id])
                guard case .success(let request) = item.request else { continue }
                if room > 0 { room -= 1 } else { await group.next() }
                if Task.isCancelled { break }
                let handle = downloader.start(request)
                display.started(id, item.url, handle)
                group.addTask { display.ended(id, await outcome(of: handle, request.source)) }
            }
        }
        display.allEnded()
    }

    private func show(_ messages: MessageLog, _ display: Display) async {
        for message in messages.take() { await display.message(message) }
    }

    private static func follow(_ display: Display, _ trace: Trace) async {
        while !Task.isCancelled {
            await trace.sample(display.handles)
            try? await Task.sleep(for: Trace.interval)
        }
    }

    private func outcome(of handle: DownloadHandle, _ source: Source) async -> FileOutcome {
        do {
            let result = try await handle.result
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
