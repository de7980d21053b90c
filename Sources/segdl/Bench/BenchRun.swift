import SegmentedDL
import SystemPackage

/// Alternating runs of all contenders, each followed by verifying the file.
struct BenchRun: Sendable {
    let url: String
    let access: BenchAccess
    let contenders: [Contender]
    let runs: Int
    let directory: String
    let durability: Durability
    let checksum: Checksum?
    let say: @Sendable (String) -> Void

    /// - Throws: `DownloadError`, `CancellationError`.
    func run() async throws -> [BenchResult] {
        try await checkURL()
        let home = directory + "/.segdl-bench-\(getpid())"
        do {
            try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
        } catch {
            throw DownloadError(
                .badPath, "Cannot create the directory '\(home)'; choose another (--directory).")
        }
        defer { try? FileManager.default.removeItem(atPath: home) }
        var expected: (digest: Checksum, length: Int64)?
        var results: [Contender: BenchResult] = [:]
        for round in 0..<runs {
            // Each round begins with a different contender, because the first one may pay costs for the
            // others.
            let order = contenders[(round % contenders.count)...] + contenders[..<(round % contenders.count)]
            for contender in order {
                say("run \(round + 1) of \(runs): \(contender.name)")
                async let _: Void = tellThatItRuns(contender)
                let (outcome, digest) = try await run(contender, home)
                try Task.checkCancellation()
                if expected == nil, let digest {
                    if let checksum, checksum != digest.digest {
                        throw DownloadError(
                            .checksumMismatch, "\(url): the file has \(digest.digest), not \(checksum).")
                    }
                    expected = digest
                }
                var result =
                    results[contender] ?? BenchResult(contender: contender, length: digest?.length ?? 0)
                switch outcome {
                case .success where digest?.digest != expected?.digest: result.failures.append("wrong bytes")
                case .success(var run):
                    if let excess = run.excess { run.excess = max(0, excess - (digest?.length ?? 0)) }
                    result.runs.append(run)
                case .failure(let failure): result.failures.append(failure.text)
                }
                results[contender] = result
            }
        }
        return contenders.compactMap { results[$0] }
    }

    /// Reports that a run is still active: after ten seconds, and each time the elapsed time has doubled.
    private func tellThatItRuns(_ contender: Contender) async {
        var (passed, wait) = (0, 10)
        while (try? await Task.sleep(for: .seconds(wait))) != nil {
            passed += wait
            wait = passed
            say("  \(contender.name) is still running after \(passed) s")
        }
    }

    /// Requests the file once: otherwise a wrong URL would make all runs fail without a reason.
    private func checkURL() async throws {
        let null = try FileDescriptor.open("/dev/null", .writeOnly)
        defer { try? null.close() }
        var configuration = access.configuration
        configuration.logger = MessageLog.logger(show: say)
        try await Downloader.withDownloader(configuration) { downloader in
            var request = try DownloadRequest(url, to: .descriptor(null), headers: access.headers)
            request.credentials = access.credentials
            let handle = downloader.start(request)
            for await progress in handle.progress(every: .milliseconds(20)) where progress.bytesCompleted > 0
            {
                break
            }
            handle.cancel()
            do {
                _ = try await handle.result
            } catch let error as DownloadError where error.code == .cancelled {
                return
            }
        }
    }

    private struct Failure: Error {
        let text: String
    }

    private func run(
        _ contender: Contender, _ home: String
    ) async throws -> (Result<BenchResult.Run, Failure>, (digest: Checksum, length: Int64)?) {
        let (file, trace, output) = (home + "/file", home + "/trace", home + "/output")
        for path in (try? FileManager.default.contentsOfDirectory(atPath: home)) ?? [] {
            try? FileManager.default.removeItem(atPath: home + "/" + path)
        }
        let command = contender.command(url, access, file: file, trace: trace, durability: durability)
        let cost: MeasuredProcess.Cost
        do {
            cost = try await MeasuredProcess.run(command, output: output)
        } catch {
            return (.failure(Failure(text: "cannot be started")), nil)
        }
        guard cost.status == 0 else { return (.failure(Failure(text: "exit status \(cost.status)")), nil) }
        guard let size = try? Self.size(of: file) else { return (.failure(Failure(text: "no file")), nil) }
        let algorithm = checksum?.algorithm ?? .sha256
        guard let digest = try await FileDigest.compute([algorithm], of: FilePath(file)).first else {
            return (.failure(Failure(text: "no digest")), nil)
        }
        var run = BenchResult.Run(seconds: cost.wallSeconds, cpu: cost.cpuSeconds, memory: cost.memoryBytes)
        if contender.isOurs {
            let report = OwnReport(path: output)
            run.connections = report?.connections_opened
            run.excess = report?.bytes_received
            run.bottleneck = report?.bottleneck_text
            run.trace = Self.samples(trace)
        } else if case .tool(.curl, _, _) = contender.kind {
            run.connections = 1
            run.excess = size
        }
        return (.success(run), (digest, size))
    }

    private static func size(of file: String) throws -> Int64 {
        let file = try FileDescriptor.open(FilePath(file), .readOnly)
        return try file.closeAfter { try file.seek(offset: 0, from: .end) }
    }

    /// The report that our command writes about itself.
    private struct OwnReport: Decodable {
        // The names used in docs/json-progress.md.
        let connections_opened: Int
        let bytes_received: Int64
        let bottleneck_text: String?

        init?(path: String) {
            let lines = (try? TextFile.read(path))?.split(separator: "\n") ?? []
            let found = lines.lazy.compactMap { try? JSONDecoder().decode(Self.self, from: Data($0.utf8)) }
            guard let report = found.first else { return nil }
            self = report
        }
    }

    private static func samples(_ path: String) -> [TraceSample] {
        let lines = (try? TextFile.read(path))?.split(separator: "\n") ?? []
        return lines.compactMap { try? JSONDecoder().decode(TraceSample.self, from: Data($0.utf8)) }
    }
}
