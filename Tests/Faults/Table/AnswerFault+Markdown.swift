import SegmentedDL

extension AnswerFault {
    /// The tables of all groups, as in docs/faults.md.
    static var markdown: String {
        groups.map { group in
            let rows = group.faults.map { "| \($0.fault) | \($0.outcomeText) | \($0.testText) |" }
            return "### \(group.title)\n\n| fault | right outcome | test |\n|---|---|---|\n"
                + rows.joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    private var outcomeText: String {
        var text: String
        switch outcome {
        case .exact(let seed, _):
            text = seed == 1 ? "exact bytes" : "exact bytes of the \(seed == 2 ? "new" : "other") file"
            if let keepsBytes { text += keepsBytes ? ", those on disk are used" : ", none of the old ones" }
        case .error(let code, let status, let remains):
            text = "`\(Self.names[code] ?? "\(code.rawValue)")`\(status.map { " \($0)" } ?? ""), no file; "
            switch remains {
            case .nothing: text += "nothing left"
            case .unfinished: text += "the next run can continue"
            case .setAside: text += "the bytes are set aside"
            }
        }
        if isVerified { text = "with `--checksum`: \(text)" }
        if let requests, requests.lowerBound == requests.upperBound {
            text += "; \(requests.lowerBound) request\(requests.lowerBound == 1 ? "" : "s")"
        }
        return text
    }

    private var testText: String {
        "`AnswerFaultTests/outcome` `\(behaviour)\(query.isEmpty ? "" : "?" + query)`"
    }

    private static let names: [DownloadError.Code: String] = [
        .connectionFailed: "connectionFailed", .timedOut: "timedOut", .badResponse: "badResponse",
        .badRedirect: "badRedirect", .httpStatus: "httpStatus", .remoteFileChanged: "remoteFileChanged",
        .checksumMismatch: "checksumMismatch", .lengthMismatch: "lengthMismatch", .wrongRange: "wrongRange",
        .encodedContent: "encodedContent", .unexpectedType: "unexpectedType",
    ]
}
