import SegmentedDL
internal import SegmentedDLMirror

/// The merged proofs of shards, as text and as JSON lines.
struct MergeOutput {
    let report: MergeReport

    // MARK: In words

    var words: String {
        var lines: [String] = []
        for part in report.parts {
            lines.append("shard \(part.shard): \(Self.words(part))")
            lines += part.failures.map { "  \(Self.words($0))" }
            if part.failed > part.failures.count {
                lines.append("  and \(part.failed - part.failures.count) more")
            }
        }
        lines += report.conflicts.map { "'\($0)' has different digests in several proofs" }
        lines.append(conclusion)
        return lines.map { $0 + "\n" }.joined()
    }

    private static func words(_ part: MergeReport.Part) -> String {
        let files = "\(Plural.count(part.files, "file")), \(ByteFormat.size(part.bytes))"
        return switch part.state {
        case .complete: files
        case .failed: files + ", \(part.failed) failed"
        case .unfinished: "its last run did not finish; run it again"
        case .damaged: "its proof was not written by its last run; run it again"
        case .missing: "missing; run it, or also specify its directory"
        }
    }

    private static func words(_ failure: MirrorReport.Failure) -> String {
        let message = failure.message.isEmpty ? "" : ": \(failure.message)"
        return (failure.path?.text ?? failure.place) + message
    }

    private var conclusion: String {
        let count = report.parts.count
        let ended = report.parts.filter { $0.state == .complete || $0.state == .failed }.count
        let files = "\(Plural.count(report.files, "file")), \(ByteFormat.size(report.bytes))"
        let failed = report.parts.reduce(0) { $0 + $1.failed }
        let shards = Plural.count(count, "shard")
        if report.isComplete { return "\(files) of \(shards): complete" }
        var parts = ["\(files) of \(ended) of \(shards)"]
        if failed > 0 { parts.append("\(failed) failed") }
        if report.conflicting > 0 { parts.append("\(report.conflicting) with different digests") }
        return parts.joined(separator: ", ") + ": not complete"
    }

    // MARK: For programs

    var lines: String {
        var text = ""
        for part in report.parts {
            var line = JSONLine(event: "shard")
            line.add("shard", part.shard.index)
            line.add("state", part.state.rawValue)
            line.add("files", part.files)
            line.add("bytes", part.bytes)
            line.add("failed", part.failed)
            text += line.line
            for failure in part.failures {
                var line = JSONLine(event: "missing")
                line.add("shard", part.shard.index)
                line.add("name", failure.path?.text)
                line.add("url", failure.place)
                line.add("message", failure.message)
                text += line.line
            }
        }
        for path in report.conflicts {
            var line = JSONLine(event: "conflict")
            line.add("name", path.text)
            text += line.line
        }
        var line = JSONLine(event: "summary")
        line.add("shards", report.parts.count)
        line.add("files", report.files)
        line.add("bytes", report.bytes)
        line.add("failed", report.parts.reduce(0) { $0 + $1.failed })
        line.add("conflicts", report.conflicting)
        line.add("complete", report.isComplete)
        line.add("written", report.isWritten)
        return text + line.line
    }
}
