import SegmentedDL
import SegmentedDLSupport

/// A run that queries files without downloading them, and prints the servers' responses.
struct LookRun: Sendable {
    let downloader: Downloader
    let messages: MessageLog
    /// The requests for the files, indexed by the files' numbers.
    let requests: RunRequests
    let resolve: RunRequest.Resolve
    /// True if the output is JSON lines.
    let isJSON: Bool
    /// True to print only failures, and JSON.
    var isQuiet = false

    private var count: Int { requests.count }

    /// - Returns: The exit status.
    func run(with renderer: some ProgressRenderer) async -> Int32 {
        let display = Display(renderer, messages: messages)
        let tally = Lock(FileTally())
        let loop = RunLoop(display: display) { RunSnapshot([], FileTally()) }
        let (_, signal) = await loop.run {
            await look { id, url, error in
                let outcome = FileOutcome(error)
                let progress = DownloadProgress(state: .failed)
                tally.withLock { $0.add(outcome, progress) }
                display.show {
                    $0.finished(FileSnapshot(id: id, url: url, progress: progress), outcome: outcome)
                }
            }
        } end: { _, _ in
        }
        return signal ?? tally.withLock { $0.exitStatus(of: count) }
    }

    /// Queries all files. The responses are printed in the order of the files.
    private func look(_ failed: @escaping @Sendable (Int, String, any Error) -> Void) async {
        let most = min(downloader.limits.mostActiveFiles, 64)
        await withTaskGroup(of: (Int, RunRequest, Result<RemoteFile, any Error>).self) { group in
            var (next, shown) = (0, 0)
            var waiting: [Int: (RunRequest, Result<RemoteFile, any Error>)] = [:]
            while shown < count {
                while next < count, next - shown < most {
                    let id = next
                    group.addTask { await answer(id) }
                    next += 1
                }
                guard let (id, request, result) = await group.next() else { break }
                waiting[id] = (request, result)
                while let (request, result) = waiting.removeValue(forKey: shown) {
                    switch result {
                    case .success(let file): show(shown, request.shownURL, file)
                    case .failure(let error): failed(shown, request.shownURL, error)
                    }
                    shown += 1
                }
            }
        }
    }

    private func answer(_ id: Int) async -> (Int, RunRequest, Result<RemoteFile, any Error>) {
        let request = requests[id].resolved(resolve)
        do {
            return (id, request, .success(try await downloader.inspect(try request.get())))
        } catch {
            return (id, request, .failure(error))
        }
    }

    private func show(_ id: Int, _ url: String, _ file: RemoteFile) {
        guard isJSON || !isQuiet else { return }
        let text = isJSON ? LookText.json(id, url, file) : LookText.lines(url, file)
        TextOutput.standardOutput.write(text)
    }
}
