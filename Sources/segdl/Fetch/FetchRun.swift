import SegmentedDL

/// Downloads the files of one command, and shows how it goes.
struct FetchRun: Sendable {
    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)

    let downloader: Downloader
    let messages: MessageLog
    /// The command that follows each complete file.
    let onComplete: String?
    let trace: Trace?

    private enum Event: Sendable {
        case ended(id: Int, FileOutcome)
        case tick
    }

    /// - Returns: The exit status.
    func carryOut(_ items: [FetchItem], with renderer: any ProgressRenderer) async -> Int32 {
        let work = Task { await download(items, with: renderer) }
        let signals = Signals { work.cancel() }
        let statuses = await work.value
        return signals.exitStatus ?? Self.exitStatus(statuses)
    }

    /// One file's failure is the command's; of several it is only said that some failed.
    private static func exitStatus(_ statuses: [Int32]) -> Int32 {
        if statuses.count == 1 { return statuses[0] }
        return statuses.allSatisfy { $0 == 0 } ? 0 : 1
    }

    private func download(_ items: [FetchItem], with renderer: any ProgressRenderer) async -> [Int32] {
        let display = Display(renderer: renderer, urls: items.map(\.url))
        // All are handed over at once, in order: which of them runs when is the scheduler's to say.
        for (id, item) in items.enumerated() {
            switch item.request {
            case .success(let request): await display.started(id, downloader.start(request))
            case .failure(let error): await display.ended(id, FileOutcome(error))
            }
        }
        let tracer = trace.map { trace in Task { await Self.follow(display, trace) } }
        defer { tracer?.cancel() }
        await withTaskGroup(of: Event.self) { group in
            for (id, handle) in await display.handles {
                guard case .success(let request) = items[id].request else { continue }
                group.addTask { .ended(id: id, await outcome(of: handle, request.source)) }
            }
            var running = await display.handles.count
            group.addTask { await Self.tick() }
            while running > 0, let event = await group.next() {
                for message in messages.take() { await display.message(message) }
                switch event {
                case .ended(let id, let outcome):
                    running -= 1
                    await display.ended(id, outcome)
                case .tick:
                    await display.update()
                    // After a cancellation a sleep returns at once; the rest is only waited for.
                    if !Task.isCancelled { group.addTask { await Self.tick() } }
                }
            }
            group.cancelAll()
        }
        await display.end()
        return await display.statuses
    }

    private static func follow(_ display: Display, _ trace: Trace) async {
        while !Task.isCancelled {
            await trace.sample(await display.handles)
            try? await Task.sleep(for: Trace.interval)
        }
    }

    private static func tick() async -> Event {
        try? await Task.sleep(for: interval)
        return .tick
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
