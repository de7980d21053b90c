import SegmentedDL
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// Samples of the segments of a run as JSON lines: which connection fetched which bytes when. The format is
/// in `docs/trace-format.md`.
actor Trace {
    /// Short enough to show the end of a download that takes half a second.
    static let interval = Duration.milliseconds(20)

    private let executor = QueueExecutor(label: "segdl.trace")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let output: TextOutput
    private let began = ContinuousClock.now

    /// - Throws: `DownloadError` if the file cannot be written.
    init(path: String) throws(DownloadError) {
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            // It stays open until the process ends.
            output = TextOutput(descriptor: file.rawValue)
        } catch {
            throw DownloadError(.badPath, "Cannot write the trace '\(path)': \(error).")
        }
    }

    /// Writes samples until the task is cancelled.
    nonisolated func follow(_ files: RunFiles) async {
        while !Task.isCancelled {
            await sample(files.handles)
            try? await Task.sleep(for: Self.interval)
        }
    }

    private func sample(_ handles: [Int: DownloadHandle]) {
        let time = ByteFormat.seconds(ContinuousClock.now - began)
        var text = ""
        for (id, handle) in handles.sorted(by: { $0.key < $1.key }) {
            let progress = handle.currentProgress
            guard progress.state != .queued else { continue }
            var line = JSONLine(event: "sample")
            line.add("id", id)
            line.add("time", rounding: time)
            line.add("state", progress.state.rawValue)
            line.add("bytes", progress.bytesCompleted)
            line.add("total", progress.bytesTotal)
            line.add("segments", progress.activeSegments.map { [$0.start, $0.position, $0.end] })
            text += line.line
        }
        if !text.isEmpty { output.write(text) }
    }
}
