package import SegmentedDL

extension HubSource {
    /// The subject of a request to a hub.
    package enum Subject: Sendable {
        /// The file that the location names.
        case file
        /// A file that the hub lists.
        case listedFile
        /// A page of the listing of an existing revision, from 1.
        case page(Int)
        /// The revision.
        case revision
    }

    /// Returns the error of a request to the hub, with a remedy if the hub's response indicates one.
    package func explained(_ error: DownloadError, of subject: Subject = .file) -> DownloadError {
        guard error.code == .httpStatus else { return explained(unreachable: error) }
        // A mirror of the hub may redirect to the hub itself, which states a code.
        if let response = error.response, isStore(response.finalSource.origin, of: subject),
            response.value(of: "X-Error-Code") == nil
        {
            return explained(error, by: response.finalSource.origin)
        }
        guard let advice = advice(error, subject) else { return error }
        return error.advising(advice, about: "\(location)", by: "The hub")
    }

    /// Returns the error of a connection to the hub with the variable that sets its URL.
    private func explained(unreachable error: DownloadError) -> DownloadError {
        guard isEndpointOfVariable, [.cannotResolve, .connectionFailed].contains(error.code),
            let url = error.url, (try? Source(url))?.origin == endpoint.origin
        else { return error }
        var error = error
        error.message += " The hub's URL is that of HF_ENDPOINT; check it."
        return error
    }

    /// Returns true for a server to which the hub redirects requests for files that it has, unlike the hub
    /// itself with another scheme or port, or with or without `www.`.
    private func isStore(_ server: Origin, of subject: Subject) -> Bool {
        func name(_ host: String) -> Substring { host.hasPrefix("www.") ? host.dropFirst(4) : host[...] }
        switch subject {
        case .file, .listedFile: return name(server.host) != name(endpoint.origin.host)
        case .page, .revision: return false
        }
    }

    /// Returns the error of a request that the hub has redirected: it has the file, unlike that server.
    private func explained(_ error: DownloadError, by server: Origin) -> DownloadError {
        let what: String
        switch error.status {
        case 403: what = "refuses to send it"
        case 404, 410: what = "does not have it"
        default: return error
        }
        return error.advising(
            "the hub has the file, but the server that it redirects to (\(server.host)) \(what). Try again later.",
            about: "\(location)", by: "That server")
    }

    private func advice(_ error: DownloadError, _ subject: Subject) -> String? {
        // The code, such as EntryNotFound, is clearer than the text.
        let code = error.response?.value(of: "X-Error-Code") ?? ""
        let reason = (code.isEmpty ? error.reason ?? "" : code).lowercased()
        if reason == "disabledrepo" {
            return "the hub has disabled this repository. Its page may say why: \(page)"
        }
        let isGated = ["gated", "restricted", "authorized list", "access to"].contains(where: reason.contains)
        switch error.status {
        case 401 where isGated && !hasToken, 403 where !hasToken:
            return
                "access to this repository is restricted. Request it in a browser at \(page), then set \(variable) to one of your tokens (\(tokens))."
        case 401 where hasToken:
            return refusedToken
        case 401:
            return
                "there is no such repository, or it is private. Check the name; for a private repository, set \(variable) to a token that can read it (\(tokens))."
        case 403:
            return
                "the token's user has no access to this repository. Request it in a browser at \(page), and grant a fine-grained token read access to it."
        case 404:
            return missing(subject, reason, error)
        case 429:
            let wait = error.retryAfter.map { " after \(max(1, $0.components.seconds)) s" } ?? " later"
            return "the request quota is exhausted. Try again\(wait)"
                + (hasToken ? "." : "; setting a token in \(variable) raises it.")
        default: return nil
        }
    }

    private var refusedToken: String {
        switch tokenOrigin {
        case .file(let path):
            // The official client writes the file.
            "the hub refuses the token in '\(Printable.text(path))'. Log in again (hf auth login), or remove the file, if the repository is public."
        case .variable(let name):
            "the hub refuses the token in \(name). Create a new one at \(tokens), and set \(name); or unset it, if the repository is public."
        case nil:
            "the hub refuses the token. Create a new one at \(tokens), and set \(variable); or unset it, if the repository is public."
        }
    }

    /// - Parameter reason: The hub's reason, in lower case.
    private func missing(_ subject: Subject, _ reason: String, _ error: DownloadError) -> String {
        let (isOfRevision, isOfRepository) = (
            reason.contains("revision") || reason.contains("rev id"), reason.contains("repo")
        )
        switch subject {
        case .page where isOfRevision, .listedFile where isOfRevision:
            let commit = error.url.flatMap {
                location.commit(ofPage: $0, on: endpoint) ?? location.commit(ofFile: $0)
            }
            return
                "the hub no longer has the commit\(commit.map { " " + Printable.text($0) } ?? "") of the revision '\(Printable.text(revision))', which may have been replaced (force push). Try again."
        case .page(let number) where number > 1:
            return "the hub does not have page \(number) of its listing. Try again later."
        case .page where !isOfRepository && !location.path.isEmpty:
            return
                "there is no directory '\(Printable.text(location.path))' in this revision. Check the path; segdl fetch fetches a single file."
        case .listedFile where !isOfRepository:
            return "the hub lists the file, but does not have it. Try again later."
        case _ where isOfRevision:
            let rest = location.path.isEmpty ? "" : "; a slash in it is written %2F"
            return
                "there is no revision '\(Printable.text(revision))'. Check the name of the branch, tag or commit after the @\(rest)."
        case .file where reason.contains("entry") || reason.contains("file"):
            return
                "there is no '\(Printable.text(location.path))' in this revision. Check the path; segdl mirror --dry-run lists the files."
        case .file, .listedFile, .page, .revision:
            guard !isOfRepository else {
                let other = hasToken ? "the token cannot read it" : "it is private"
                return
                    "there is no such repository, or \(other). Check the name; a data set is hf://datasets/OWNER/NAME."
            }
            // The Hugging Face Hub states a code with each 404.
            let isDoubtful =
                isEndpointOfVariable && dialect == .huggingFace
                && error.response?.value(of: "X-Error-Code") == nil
            let server =
                isDoubtful ? " If '\(endpoint.origin)' is not a hub, correct HF_ENDPOINT." : ""
            return
                "there is no such repository, revision or file. Check the name; a data set is hf://datasets/OWNER/NAME.\(server)"
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
