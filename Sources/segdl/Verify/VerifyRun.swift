import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SegmentedDLSupport
import SystemPackage

/// Checks files one by one, with progress on the terminal.
struct VerifyRun: Sendable {
    /// True if the digests of files without an expected one are printed on standard output.
    let printsDigests: Bool

    private struct State: Sendable {
        var meter: HashMeter?
        var id = 0
        var tally = FileTally()
        /// The digests to print.
        var lines: [ChecksumList.Entry] = []
    }

    /// - Returns: The exit status.
    func run(_ items: [VerifyItem], with renderer: some ProgressRenderer) async -> Int32 {
        let state = Lock(State())
        let display = Display(renderer, messages: MessageLog())
        let loop = RunLoop(display: display) { Self.snapshot(state.withLock { $0 }) }
        let (_, signal) = await loop.run {
            for (id, item) in items.enumerated() where !Task.isCancelled {
                let meter = HashMeter(name: item.name)
                state.withLock { state in
                    (state.id, state.meter) = (id, meter)
                    state.tally.waiting = items.count - id - 1
                }
                let outcome = await outcome(of: item, meter)
                var file = FileSnapshot(id: id, url: "", progress: meter.progress)
                file.progress.state = outcome.exitStatus == 0 ? .completed : .failed
                state.withLock { [file] state in
                    state.meter = nil
                    state.tally.add(outcome, file.progress)
                    if case .verified(let found, wasExpected: false) = outcome {
                        state.lines.append(ChecksumList.Entry(name: item.name, checksum: found))
                    }
                }
                if case .verified(_, wasExpected: false) = outcome, printsDigests { continue }
                display.show { [file] in $0.finished(file, outcome: outcome) }
            }
        } end: { output, _ in
            output.end(overall(items, state.withLock { $0.tally }))
        }
        let (tally, lines) = state.withLock { ($0.tally, $0.lines) }
        // Not earlier, because on a terminal they would be mixed with the bars.
        let isWritten = !printsDigests || Self.write(lines)
        return signal ?? (isWritten ? tally.exitStatus(of: items.count) : 1)
    }

    /// If a directory is given instead of the list in it, returns the error that names the list; otherwise
    /// `nil`. Blocks.
    private static func errorAboutDirectory(_ path: FilePath) -> DownloadError? {
        guard (try? SystemCalls.statusFollowingLinks(path))?.kind == .directory else { return nil }
        let list = ["SHA256SUMS", "segdl-mirror.jsonl"].map { path.appending($0) }.first {
            (try? SystemCalls.statusFollowingLinks($0))?.kind == .file
        }
        if let list {
            return DownloadError(.badPath, "'\(path)' is a directory; specify its list, \(list).")
        }
        guard let cache = HubCache.cache(at: path) else {
            return DownloadError(
                .badPath,
                "'\(path)' is a directory; specify its files, or a list of checksums, as in segdl verify -d \(ShellWords.quoted(path.string)) SHA256SUMS."
            )
        }
        let named = ShellWords.quoted(cache.string)
        return DownloadError(
            .badPath,
            "'\(path)' is a directory of a cache without a list of checksums; write one with segdl mirror --hf-cache --proof PROOF hf://OWNER/NAME \(named), then run segdl verify -d \(named) PROOF/SHA256SUMS."
        )
    }

    private static func isMissing(_ error: DownloadError) -> Bool {
        (error.cause as? StorageError)?.errno == .noSuchFileOrDirectory
    }

    /// Returns the totals for the last line; empty if the printed digests are enough.
    private func overall(_ items: [VerifyItem], _ tally: FileTally) -> Overall {
        var overall = Overall(unlisted: tally)
        overall.isCheck = items.contains(where: \.isCheck)
        return printsDigests && !overall.isCheck && tally.failed == 0 ? Overall() : overall
    }

    private static func snapshot(_ state: State) -> RunSnapshot {
        let files = state.meter.map { [FileSnapshot(id: state.id, url: "", progress: $0.progress)] } ?? []
        return RunSnapshot(files, state.tally)
    }

    /// - Returns: False if standard output is closed.
    private static func write(_ lines: [ChecksumList.Entry]) -> Bool {
        do {
            try FileDescriptor.standardOutput.writeAll(lines.map { "\($0)\n" }.joined().utf8)
            return true
        } catch {
            StandardError.write("segdl: Cannot write to standard output: \(error).\n")
            return false
        }
    }

    private func outcome(of item: VerifyItem, _ meter: HashMeter) async -> FileOutcome {
        do {
            switch item {
            case .bad(let name, let reason):
                throw DownloadError(.invalidSetting, "\(name): \(reason); its file was not checked.")
            case .file(let path, let algorithm, let expected, let metalink):
                if let error = Self.errorAboutDirectory(path) { throw error }
                let digests: [Checksum]
                do {
                    digests = try await FileDigest.compute([algorithm], of: path) { done, total in
                        meter.set(done, of: total)
                    }
                } catch let error as DownloadError where Self.isMissing(error) {
                    let advice =
                        expected == nil
                        ? "check the name"
                        : "download it, for example with segdl -o \(ShellWords.quoted(path.string)) URL"
                    throw DownloadError(.badPath, "\(path): it is missing; \(advice).", cause: error)
                }
                guard let found = digests.first else { return .cancelled }
                if let expected, expected != found {
                    let repair = metalink.map {
                        ", or only its wrong pieces with `segdl verify --repair \($0)`"
                    }
                    throw DownloadError(
                        .checksumMismatch,
                        "\(path): it has \(found.algorithm.rawValue) \(found.hexadecimal), "
                            + "but \(expected.hexadecimal) was expected; download it again, for example with "
                            + "segdl --if-exists replace -o \(ShellWords.quoted(path.string)) URL\(repair ?? ""), "
                            + "or run its mirror again with segdl mirror --verify SOURCE DIR."
                    )
                }
                return .verified(found, wasExpected: expected != nil)
            }
        } catch {
            return FileOutcome(error)
        }
    }
}
