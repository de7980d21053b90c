import SegmentedDL
internal import SegmentedDLMirror
import SystemPackage

/// Repairs the files in Metalinks one by one, with progress on the terminal.
struct RepairRun: Sendable {
    let downloader: Downloader
    let messages: MessageLog
    /// The headers for the hosts of the files' first sources.
    let headers: [HTTPHeader]
    /// The directory that names are relative to; `nil` for that of each Metalink.
    let directory: FilePath?
    let metalinks: [FilePath]

    /// An entry of a Metalink, or the error of an unreadable one.
    private struct Work: Sendable {
        var metalink: FilePath
        var entry: Result<MirrorEntry, any Error>
    }

    /// A repaired file and the URL to show for it, or an error and the file.
    private struct Repaired {
        var outcome: FileOutcome
        var url: String
    }

    /// - Returns: The exit status.
    func run(with renderer: some ProgressRenderer) async -> Int32 {
        let works = await read()
        let display = Display(renderer, messages: messages)
        let progress = RunFiles(count: works.count)
        let loop = RunLoop(display: display) { progress.snapshot }
        let (_, signal) = await loop.run {
            for (id, work) in works.enumerated() where !Task.isCancelled {
                let repaired = await repair(work) { progress.start(id, $0, $1) }
                let file = progress.end(id, repaired.outcome, url: repaired.url)
                display.show { $0.finished(file, outcome: repaired.outcome) }
            }
        } end: { output, _ in
            output.end(progress.snapshot.overall)
        }
        return signal ?? progress.exitStatus
    }

    private func read() async -> [Work] {
        var works: [Work] = []
        for metalink in metalinks {
            do {
                for try await entry in downloader.entries(of: .file(metalink, .metalink, base: nil)) {
                    works.append(Work(metalink: metalink, entry: .success(entry)))
                }
            } catch {
                works.append(Work(metalink: metalink, entry: .failure(error)))
            }
        }
        return works
    }

    private func repair(
        _ work: Work, started: @escaping @Sendable (String, DownloadHandle) -> Void
    ) async -> Repaired {
        switch work.entry {
        case .failure(let error):
            return Repaired(outcome: FileOutcome(error), url: work.metalink.string)
        case .success(.unusable(let entry)):
            let error = DownloadError(.invalidSetting, "\(entry.place): \(entry.reason)")
            return Repaired(outcome: FileOutcome(error), url: entry.place)
        case .success(.item(let item)):
            return await repair(item, beside: work.metalink, started)
        }
    }

    private func repair(
        _ item: MirrorItem, beside metalink: FilePath,
        _ started: @escaping @Sendable (String, DownloadHandle) -> Void
    ) async -> Repaired {
        var item = item
        item.headers += headers
        let source = item.sources.first?.description
        let path = (directory ?? metalink.removingLastComponent()).appending(item.path.text)
        do {
            let result = try await downloader.repair(item, at: path) { started(source ?? "", $0) }
            let unchanged = DownloadResult(
                outcome: .unchanged, path: path, length: item.size ?? 0, bytesWritten: 0, duration: .zero,
                connections: 0)
            return Repaired(outcome: .done(result.download ?? unchanged), url: source ?? path.string)
        } catch {
            return Repaired(outcome: FileOutcome(error), url: path.string)
        }
    }
}
