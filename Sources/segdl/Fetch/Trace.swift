import SegmentedDL
import SegmentedDLSupport
import SystemPackage

/// Writes samples of a run's segments as JSON lines: which connection fetched which bytes, and when.
/// `docs/trace-format.md` describes the format.
actor Trace {
    /// Short enough to show the end of a download that takes half a second.
    static let interval = Duration.milliseconds(20)

    private let executor = QueueExecutor(label: "segdl.trace")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private let output: TextOutput
    private let began = ContinuousClock.now
    /// The files that have ended since the last sample.
    private let over = Lock<[FileSnapshot]>([])

    /// - Throws: `DownloadError` if the file cannot be written.
    init(path: String) throws(DownloadError) {
        let report: @Sendable (String) -> Void = { reason in
            StandardError.write("segdl: Cannot write to the trace '\(path)': \(reason).\n")
        }
        if let inherited = InheritedOutput.descriptor(named: path) {
            try InheritedOutput.check(inherited, path)
            output =
                inherited == .standardOutput
                ? .standardOutput : TextOutput(descriptor: inherited.rawValue, onFailure: report)
            return
        }
        do {
            output = try TextOutput(path: path, appends: false, onFailure: report)
        } catch {
            throw DownloadError(.badPath, "Cannot write the trace '\(path)': \(error).")
        }
    }

    /// Records the last state of a file. Otherwise a very short download would have no sample.
    nonisolated func ended(_ file: FileSnapshot) {
        over.withLock { $0.append(file) }
    }

    /// Writes samples until the task is cancelled, and then the last one.
    nonisolated func follow(_ files: RunFiles) async {
        while !Task.isCancelled {
            await sample(files.handles)
            try? await Task.sleep(for: Self.interval)
        }
        await sample(files.handles)
    }

    private func sample(_ handles: [Int: DownloadHandle]) {
        let time = ByteFormat.seconds(ContinuousClock.now - began)
        var text = ""
        let over = over.withLock { over in
            defer { over = [] }
            return over
        }
        let running = handles.sorted { $0.key < $1.key }.map { ($0.key, $0.value.currentProgress) }
        for (id, progress) in over.map({ ($0.id, $0.progress) }) + running
        where progress.state != .queued {
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
