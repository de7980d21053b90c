package import SegmentedDL

extension HubSource {
    /// Returns the error of a request to the hub, with a remedy if the hub's response indicates one.
    package func explained(_ error: DownloadError) -> DownloadError {
        guard error.code == .httpStatus, let advice = advice(error) else { return error }
        let said = error.reason.map { " The hub says '\($0)'." } ?? ""
        var explained = error
        explained.message = "\(location): \(advice)\(said)"
        explained.remedy = nil
        return explained
    }

    private func advice(_ error: DownloadError) -> String? {
        let reason = error.reason?.lowercased() ?? ""
        let isGated = ["gated", "restricted", "authorized list", "access to"].contains(where: reason.contains)
        switch error.status {
        case 401 where isGated && !hasToken, 403 where !hasToken:
            return
                "access to this repository is restricted. Request it in a browser at \(page), then set \(variable) to one of your tokens (\(tokens))."
        case 401 where hasToken:
            return
                "the hub refuses the token. Create a new one at \(tokens), and set \(variable); or unset it, if the repository is public."
        case 401:
            return
                "there is no such repository, or it is private. Check the name; for a private repository, set \(variable) to a token that can read it (\(tokens))."
        case 403:
            return
                "the token's user has no access to this repository. Request it in a browser at \(page), and grant a fine-grained token read access to it."
        case 404 where reason.contains("revision") || reason.contains("rev id"):
            return
                "there is no revision '\(Printable.text(revision))'. Check the name of the branch, tag or commit after the @."
        case 404 where reason.contains("entry") || reason.contains("file"):
            return
                "there is no '\(Printable.text(location.path))' in this revision. Check the path; segdl mirror --dry-run lists the files."
        case 404:
            return
                "there is no such repository, revision or file. Check the name; a data set is hf://datasets/OWNER/NAME."
        case 429:
            let wait = error.retryAfter.map { " after \(max(1, $0.components.seconds)) s" } ?? " later"
            return "the request quota is exhausted. Try again\(wait)"
                + (hasToken ? "." : "; setting a token in \(variable) raises it.")
        default: return nil
        }
    }

    private var page: String {
        "\(base)/\(dialect.prefix(of: location.kind))\(location.repository)"
    }

    private var tokens: String { "\(base)/\(dialect.tokenPage)" }

    private var variable: String { dialect.tokenVariables[0] }

    private var base: String {
        endpoint.url.hasSuffix("/") ? String(endpoint.url.dropLast()) : endpoint.url
    }
}
