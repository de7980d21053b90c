import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SystemPackage

/// Repairs the files that Metalinks name, one after the other, and shows how it goes.
struct RepairRun: Sendable {
    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)

    let downloader: Downloader
    let messages: MessageLog
    /// For the hosts of the files' first sources.
    let headers: [HTTPHeader]
    /// What names are relative to; `nil` for each Metalink's directory.
    let directory: FilePath?
    let metalinks: [FilePath]

    /// What there is to do: an entry of a Metalink, or why that cannot be read.
    private struct Work: Sendable {
        var metalink: FilePath
        var entry: Result<MirrorEntry, any Error>
    }

    /// - Returns: Each file's exit status.
    func carryOut(with renderer: sending any ProgressRenderer) async -> [Int32] {
        let works = await read()
        let display = Display(renderer: renderer, count: works.count)
        var statuses: [Int32] = []
        for (id, work) in works.enumerated() where !Task.isCancelled {
            switch work.entry {
            case .success(let entry):
                statuses.append(await carryOut(entry, beside: work.metalink, id, display))
            case .failure(let error):
                statuses.append(await failed(error, work.metalink.string, id, display))
            }
        }
        await display.end()
        return statuses
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

    private func carryOut(
        _ entry: MirrorEntry, beside metalink: FilePath, _ id: Int, _ display: Display
    ) async -> Int32 {
        switch entry {
        case .unusable(let entry):
            let error = DownloadError(.invalidSetting, "\(entry.place): \(entry.reason)")
            return await failed(error, entry.place, id, display)
        case .item(let item):
            var item = item
            item.headers += headers
            let path = (directory ?? metalink.removingLastComponent()).appending(item.path.text)
            let updates = Task {
                while (try? await Task.sleep(for: Self.interval)) != nil { await display.update() }
            }
            defer { updates.cancel() }
            do {
                let result = try await downloader.repair(item, at: path) { [item] handle in
                    display.started(id, item.sources.first?.description ?? "", handle)
                }
                for message in messages.take() { await display.message(message) }
                let right = DownloadResult(
                    outcome: .unchanged, path: path, length: item.size ?? 0, bytesWritten: 0,
                    duration: .zero, connections: 0)
                let source = item.sources.first?.description ?? path.string
                display.ended(id, source, .done(result.download ?? right))
                await display.tellEnded()
                return 0
            } catch {
                return await failed(error, path.string, id, display)
            }
        }
    }

    private func failed(_ error: any Error, _ name: String, _ id: Int, _ display: Display) async -> Int32 {
        for message in messages.take() { await display.message(message) }
        let outcome = FileOutcome(error)
        display.ended(id, name, outcome)
        await display.tellEnded()
        return outcome.exitStatus
    }
}
