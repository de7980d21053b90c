import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// Checks files one after the other, and shows how it goes.
struct VerifyRun: Sendable {
    /// How often the display is brought up to date.
    private static let interval = Duration.milliseconds(200)

    /// Whether digests that nothing was expected of go to standard output.
    let printsDigests: Bool

    private enum Event: Sendable {
        case ended(FileOutcome)
        case tick
    }

    /// - Returns: Each file's exit status.
    func carryOut(_ items: [VerifyItem], with renderer: sending any ProgressRenderer) async -> [Int32] {
        var renderer = renderer
        var ended = UnlistedFiles()
        var statuses: [Int32] = []
        var lines: [ChecksumList.Entry] = []
        for (id, item) in items.enumerated() {
            ended.waiting = items.count - id - 1
            let meter = Meter(name: item.name)
            let outcome = await hash(item, meter) {
                let file = FileSnapshot(id: id, url: "", progress: meter.progress())
                renderer.update(Overall([file], unlisted: ended), [file])
            }
            var file = FileSnapshot(id: id, url: "", progress: meter.progress())
            file.progress.state = outcome.exitStatus == 0 ? .completed : .failed
            renderer.finished(file, outcome: outcome)
            statuses.append(outcome.exitStatus)
            if case .verified(let found, wasExpected: false) = outcome {
                lines.append(ChecksumList.Entry(name: item.name, checksum: found))
            }
            switch outcome {
            case .verified, .done:
                ended.completed += 1
                ended.bytes += file.progress.bytesCompleted
            case .failed: ended.failed += 1
            case .cancelled: ended.cancelled += 1
            }
            if Task.isCancelled { break }
        }
        renderer.end(Overall(unlisted: ended))
        // Not earlier: on a terminal they would run into the bars.
        if printsDigests { statuses += write(lines) }
        return statuses
    }

    private func hash(_ item: VerifyItem, _ meter: Meter, _ update: () -> Void) async -> FileOutcome {
        await withTaskGroup(of: Event.self) { group in
            group.addTask { .ended(await outcome(of: item, meter)) }
            group.addTask { await Self.tick() }
            while let event = await group.next() {
                switch event {
                case .ended(let outcome):
                    group.cancelAll()
                    return outcome
                case .tick:
                    update()
                    if !Task.isCancelled { group.addTask { await Self.tick() } }
                }
            }
            return .cancelled
        }
    }

    /// - Returns: A status of its own if standard output takes no more.
    private func write(_ lines: [ChecksumList.Entry]) -> [Int32] {
        do {
            try FileDescriptor.standardOutput.writeAll(lines.map { "\($0)\n" }.joined().utf8)
            return []
        } catch {
            StandardError.write("segdl: Cannot write to standard output: \(error).\n")
            return [5]
        }
    }

    private static func tick() async -> Event {
        try? await Task.sleep(for: interval)
        return .tick
    }

    private func outcome(of item: VerifyItem, _ meter: Meter) async -> FileOutcome {
        do {
            switch item {
            case .bad(let name, let why):
                throw DownloadError(.invalidSetting, "\(name): \(why); what it meant was not checked.")
            case .file(let path, let algorithm, let expected):
                let found = try await FileDigest.compute([algorithm], of: path) { done, total in
                    meter.note(done, of: total)
                }
                guard let found = found.first else { return .cancelled }
                if let expected, expected != found {
                    throw DownloadError(
                        .checksumMismatch,
                        "\(path): it has \(found.algorithm.rawValue) \(found.hexadecimal), "
                            + "but \(expected.hexadecimal) was expected; download it again.")
                }
                return .verified(found, wasExpected: expected != nil)
            }
        } catch {
            return FileOutcome(error)
        }
    }
}

/// How far the hashing of one file is.
private final class Meter: Sendable {
    private struct State {
        var done: Int64 = 0
        var total: Int64?
    }

    private let name: String
    private let began = ContinuousClock.now
    private let state = Lock(State())

    init(name: String) {
        self.name = name
    }

    func note(_ done: Int64, of total: Int64) {
        state.withLock { $0 = State(done: done, total: total) }
    }

    func progress() -> DownloadProgress {
        let now = state.withLock { $0 }
        let speed = Double(now.done) / max(ByteFormat.seconds(ContinuousClock.now - began), 0.001)
        return DownloadProgress(
            state: .verifying, name: name, bytesCompleted: now.done, bytesTotal: now.total,
            bytesPerSecond: speed, secondsRemaining: now.total.map { Double($0 - now.done) / max(speed, 1) },
            completedRanges: [0..<now.done])
    }
}
