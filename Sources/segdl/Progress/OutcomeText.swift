internal import SegmentedDL
internal import SystemPackage

/// The outcome of a file as a line of text.
enum OutcomeText {
    private static let fewestBytesWithSpeed: Int64 = 64 * 1024

    static func line(_ file: FileSnapshot, _ outcome: FileOutcome, ascii: Bool) -> String {
        TextWidth.printable(text(file, outcome), ascii: ascii)
    }

    /// Returns the outcome, preceded by a label for its kind.
    static func labelled(_ file: FileSnapshot, _ outcome: FileOutcome, ascii: Bool) -> String {
        let word =
            switch outcome {
            case .done, .verified: "done"
            case .failed: "failed"
            case .cancelled: "stopped"
            }
        return "\(word): \(line(file, outcome, ascii: ascii))"
    }

    /// Returns a summary of several files as text; `nil` for one file, whose own line is enough.
    static func summary(_ overall: Overall) -> String? {
        guard overall.files > 1 else { return nil }
        let done = overall.isCheck ? "right" : "completed"
        var parts = ["\(overall.completed) of \(overall.files) files \(done)"]
        if overall.failed > 0 { parts.append("\(overall.failed) failed") }
        let stopped = overall.files - overall.completed - overall.failed
        if stopped > 0 { parts.append("\(stopped) not finished") }
        parts.append(ByteFormat.size(overall.bytesCompleted))
        return parts.joined(separator: ", ")
    }

    private static func text(_ file: FileSnapshot, _ outcome: FileOutcome) -> String {
        switch outcome {
        case .done(let result):
            let path = (file.isShownByName ? nil : result.path?.string) ?? file.shownName
            let name = path.hasPrefix("./") ? String(path.dropFirst(2)) : path
            return switch result.outcome {
            case .skipped: "\(name): exists, skipped"
            case .unchanged where result.isYounger:
                "\(name): exists, newer than the server's file; left unchanged"
            case .unchanged: "\(name): exists, unchanged"
            case .downloaded: "\(name): \(done(result))"
            }
        case .verified(let checksum, let wasExpected):
            let algorithm = checksum.algorithm.rawValue
            return "\(file.shownName): " + (wasExpected ? "\(algorithm) matches" : "\(algorithm) computed")
        case .failed(let message, _, _, _):
            // Most messages of the library name the file.
            return message.contains(file.shownName) ? message : "\(file.shownName): \(message)"
        case .cancelled:
            let next =
                file.progress.bytesCompleted == 0
                ? "" : file.progress.isResumable ? " to resume" : "; it will start over"
            return "\(file.shownName) at \(reached(file.progress)); run it again\(next)"
        }
    }

    private static func done(_ result: DownloadResult) -> String {
        var text = ByteFormat.size(result.length)
        if result.bytesWritten < result.length {
            text += " (\(ByteFormat.size(result.bytesWritten)) of it in this run)"
        }
        let seconds = ByteFormat.seconds(result.duration)
        // A very short time is meaningless, and the speed of a few bytes only reflects the server's delay.
        if seconds >= 0.1 {
            text += " in \(ByteFormat.elapsed(result.duration))"
            if result.bytesWritten >= Self.fewestBytesWithSpeed {
                text += ", " + ByteFormat.speed(Double(result.bytesWritten) / seconds)
            }
        }
        if result.connections > 0 {
            text += ", " + Plural.count(result.connections, "connection")
        }
        for (origin, proofs) in byOrigin(result.proofs) {
            text += ", \(proofs.map(Self.algorithm).joined(separator: " and ")) verified"
            if let origin { text += " (\(origin))" }
        }
        if result.isMixedUnproven { text += ", from several sources and not verified (--checksum)" }
        if !result.isEndProven { text += "; length unknown, completeness not verified" }
        return text
    }

    /// Returns the proofs, grouped by what states the digest; `nil` if the request alone does.
    private static func byOrigin(_ proofs: [DigestProof]) -> [(origin: String?, proofs: [DigestProof])] {
        var groups: [(origin: String?, proofs: [DigestProof])] = []
        for proof in proofs {
            let origin = origin(of: proof)
            if let index = groups.firstIndex(where: { $0.origin == origin }) {
                groups[index].proofs.append(proof)
            } else {
                groups.append((origin, [proof]))
            }
        }
        return groups
    }

    private static func origin(of proof: DigestProof) -> String? {
        if let document = proof.document { return "listed \(place(of: document))" }
        guard let field = proof.field else { return nil }
        return "sent in \(field)\(proof.isOfOtherHost ? " by another host" : "")"
    }

    private static func algorithm(of proof: DigestProof) -> String {
        let name = proof.checksum.algorithm.rawValue
        return proof.parts.map { "\(name) of \(Plural.count($0, "uploaded part"))" } ?? name
    }

    private static func place(of document: DigestProof.Document) -> String {
        let parts = document.url.split(separator: "/")
        let place =
            document.isOfOtherHost
            ? "by \(parts.dropFirst().first ?? "")" : "in \(parts.last.map { URLParser.decoded($0) } ?? "")"
        guard let signature = document.signature else { return place }
        return "\(place), signed by the \(signature.kind.shown) key \(signature.key)"
    }

    private static func reached(_ progress: DownloadProgress) -> String {
        let completed = ByteFormat.size(progress.bytesCompleted)
        guard let total = progress.bytesTotal, let fraction = progress.fraction else { return completed }
        return "\(ByteFormat.percent(fraction)), \(completed) of \(ByteFormat.size(total))"
    }
}

extension ProofKey.Kind {
    fileprivate var shown: String {
        switch self {
        case .minisign: "minisign"
        case .openPGP: "OpenPGP"
        case .cosign: "cosign"
        }
    }
}
