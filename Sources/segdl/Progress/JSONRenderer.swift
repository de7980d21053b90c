internal import SegmentedDL
internal import SegmentedDLQueue
internal import SystemPackage

/// JSON lines for programs, as described in `docs/json-progress.md`. Keys are added, never changed.
struct JSONRenderer: ProgressRenderer {
    private let output: TextOutput
    private var over: Set<Int> = []

    init(output: TextOutput) {
        self.output = output
    }

    mutating func update(_ overall: Overall, _ files: [FileSnapshot]) {
        over.formIntersection(files.map(\.id))
        var text = ""
        for file in files where file.isAtWork && !over.contains(file.id) {
            let progress = file.progress
            var line = Self.line("progress", file)
            line.add("state", progress.state.rawValue)
            line.add("bytes", progress.bytesCompleted)
            line.add("total", progress.bytesTotal)
            line.add("speed", Self.whole(progress.bytesPerSecond))
            line.add("remaining", rounding: progress.secondsRemaining)
            line.add("connections", progress.connections)
            text += line.line
        }
        if !text.isEmpty { output.write(text) }
    }

    mutating func finished(_ file: FileSnapshot, outcome: FileOutcome) {
        over.insert(file.id)
        output.write(Self.line(file, outcome).line)
    }

    mutating func message(_ text: String) {
        var line = JSONLine(event: "message")
        line.add("message", text)
        output.write(line.line)
    }

    mutating func end(_ overall: Overall) {
        var line = JSONLine(event: "summary")
        line.add("files", overall.files)
        line.add("completed", overall.completed)
        line.add("failed", overall.failed)
        line.add("bytes", overall.bytesCompleted)
        output.write(line.line)
    }

    private static func line(_ file: FileSnapshot, _ outcome: FileOutcome) -> JSONLine {
        switch outcome {
        case .done(let result):
            var line = line("completed", file)
            line.add("path", result.path?.string)
            line.add("outcome", result.outcome.word)
            line.add("bytes", result.length)
            line.add("bytes_written", result.bytesWritten)
            line.add("seconds", rounding: ByteFormat.seconds(result.duration))
            line.add("connections", result.connections)
            line.add("connections_opened", result.connectionsOpened)
            line.add("bytes_received", result.bytesReceived)
            line.add("bottleneck", result.bottleneck?.kind.rawValue)
            line.add("bottleneck_text", result.bottleneck?.pastDescription)
            line.add("verified", result.verified.map(\.description))
            line.add("proofs", result.proofs.map(Self.object))
            line.add("end_proven", result.isEndProven)
            line.add("page", result.page)
            return line
        case .verified(let checksum, let wasExpected):
            var line = line("verified", file)
            line.add("bytes", file.progress.bytesCompleted)
            line.add("digest", checksum.description)
            line.add("expected", wasExpected)
            return line
        case .failed(let message, let code, let exitStatus, let reason):
            var line = line("failed", file)
            line.add("code", code)
            line.add("exit_status", exitStatus)
            line.add("message", message)
            line.add("reason", reason)
            return line
        case .cancelled:
            var line = line("cancelled", file)
            line.add("bytes", file.progress.bytesCompleted)
            line.add("total", file.progress.bytesTotal)
            return line
        }
    }

    private static func object(_ proof: DigestProof) -> JSONLine {
        var object = JSONLine("digest", proof.checksum.description)
        object.add("requested", proof.isRequested)
        object.add("field", proof.field)
        object.add("document", proof.document?.url)
        object.add("other_host", proof.isOfOtherHost)
        object.add("signature", proof.document?.signature.map(Self.object))
        object.add("parts", proof.parts)
        return object
    }

    private static func object(_ signature: DigestProof.Signature) -> JSONLine {
        var object = JSONLine("kind", signature.kind.rawValue)
        object.add("key", signature.key)
        return object
    }

    private static func line(_ event: String, _ file: FileSnapshot) -> JSONLine {
        var line = JSONLine(event: event)
        line.add("id", file.id)
        line.add("url", file.url)
        line.add("name", file.progress.name)
        return line
    }

    private static func whole(_ speed: Double) -> Int64 {
        speed > 0 && speed < 1e15 ? Int64(speed.rounded()) : 0
    }
}

extension DownloadResult.Outcome {
    fileprivate var word: String {
        switch self {
        case .downloaded: "downloaded"
        case .skipped: "skipped"
        case .unchanged: "unchanged"
        }
    }
}
