/// The facts about a download that the advice in its error depends on.
package struct Circumstances: Equatable, Sendable {
    /// The treatment of the received bytes by the next run.
    package enum Kept: Equatable, Sendable {
        /// No bytes were received.
        case nothing
        /// The next run resumes them.
        case resumable
        /// The next run starts over.
        case startsOver
    }

    package var kept = Kept.nothing
    /// True if the request had credentials.
    package var hasCredentials = false
    /// True if the request asked for a coded body, to be decoded.
    package var asksForCoding = false

    package init(kept: Kept = .nothing, hasCredentials: Bool = false) {
        self.kept = kept
        self.hasCredentials = hasCredentials
    }

    /// Returns the advice for a failure that a retry may fix.
    func advice(otherwise: String = "try again later") -> String {
        switch kept {
        case .nothing: otherwise
        case .resumable: "run it again to resume"
        case .startsOver: "run it again; it will start over"
        }
    }
}

// The wording of failures: a clause describes the failure, and advice gives the remedy. The error that ends a
// download has both; the log shows the clause and the download's next step.

extension TransferFailure {
    /// Returns the failure as a clause without a full stop.
    package func clause(for source: Source) -> String {
        switch self {
        case .network(let error): error.explained(for: source)
        case .busy(let status, _): "\(status.peer) is busy (\(status.code))\(status.said)"
        case .busyForFile(let status, let wait) where status.code == 202:
            "\(status.peer) has not prepared the file yet (202)"
                + (wait.map { " and requests a delay of \(Int($0.rounded(.up))) s" } ?? "")
        case .busyForFile(let status, let wait):
            "\(status.peer) serves other files but refuses this one (\(status.code))"
                + (wait.map { " and requests a delay of \(Int($0.rounded(.up))) s" } ?? "") + status.said
        case .failing(let status): "\(status.peer) failed with \(status.code)\(status.said)"
        case .refused(let status, _): "\(status.peer) answered \(status.code)\(status.meaning)\(status.said)"
        case .expired(let status, let time):
            "\(status.peer) answered \(status.code)\(status.said): the signed URL "
                + (time.map { "expired at \(WallClock.universalTime($0))" } ?? "has expired")
        case .proxyRefused(let status):
            "the proxy refused the connection to \(status.server ?? source.origin) with \(status.code)\(status.meaningOfProxy)"
        case .signatureRefused(let refusal): "the server answered \(refusal.status) to the signed request"
        case .rangeIgnored: "the server sends the whole file instead of the requested bytes"
        case .wrongRange(let what): "the server answered with \(what) instead of the requested bytes"
        case .encoded(let encoding):
            "the server sends the file encoded as '\(encoding)', which was not requested"
        case .redirect(let what, _): "it \(Self.withoutStop(what))"
        case .page: "the server sends a web page or a short message instead of the file"
        case .directory(let place): "it is a directory, '\(place)'"
        case .shortBody: "the server sent fewer bytes than it announced"
        case .mixedUp: "the server sent the bytes of another file"
        case .unproven: "the server's responses cannot be matched to one file"
        case .changed(let what): "the file on the server changed (\(what))"
        case .storage(let error): Self.withoutStop(error.asDownloadError.message)
        case .other(let error): Self.withoutStop(error.message)
        }
    }

    /// Returns the error for the download's caller once no retry or alternative is left.
    package func error(
        for source: Source, file: String, _ circumstances: Circumstances = Circumstances()
    ) -> DownloadError {
        func made(_ code: DownloadError.Code, _ text: String, status: Int? = nil, retry: Bool = true)
            -> DownloadError
        {
            var error = DownloadError(
                code, "\(file): \(text)", url: source.description, status: status, isRetryable: retry,
                cause: self)
            error.reason = reason
            error.response = answer
            return error
        }
        if case .network(let error) = self, error.remedy == .undecodedContent, !circumstances.asksForCoding {
            return TransferFailure.network(error.ofUnaskedCoding).error(
                for: source, file: file, circumstances)
        }
        let clause = clause(for: source)
        switch self {
        case .network(let error):
            var made = made(
                error.code, "\(clause); \(error.advised(circumstances)).", retry: !error.isFinal)
            made.remedy = error.settingRemedy
            return made
        case .busy(let status, _), .failing(let status):
            let time = requestedDelay.map { "in \(Int($0.rounded(.up))) s" } ?? "later"
            var error = made(.httpStatus, "\(clause); try again \(time).", status: status.code)
            error.retryAfter = requestedDelay.map { .bounded(seconds: $0) }
            return error
        case .busyForFile(let status, let wait):
            var error = made(
                .httpStatus, "\(clause); check the URL, or try again later.", status: status.code)
            error.retryAfter = wait.map { .bounded(seconds: $0) }
            error.isOfFile = true
            return error
        case .proxyRefused(let status):
            let advice = status.code == 407 ? status.advice(circumstances) : nil
            return made(
                .httpStatus, "\(clause); \(advice ?? "check the settings of the proxy").",
                status: status.code,
                retry: !status.isOfNoTunnel)
        case .refused(let status, let wants) where status.code == 401:
            return unauthorized(made(.httpStatus, clause, status: 401, retry: false), wants, circumstances)
        case .refused(let status, _):
            let advice = status.advice(circumstances).map { ": \($0)" } ?? ""
            var error = made(.httpStatus, "\(clause)\(advice).", status: status.code, retry: false)
            if status.code == 403, !circumstances.hasCredentials { error.remedy = .userAgent }
            if status.code == 407, status.schemesOfProxy.obstacle == .digest { error.remedy = .proxyDigest }
            return error
        case .expired(let status, _):
            let advice =
                switch circumstances.kept {
                case .nothing: "use a new one"
                case .resumable: "use a new one to resume"
                case .startsOver: "use a new one; it will start over"
                }
            return made(.httpStatus, "\(clause); \(advice).", status: status.code, retry: false)
        case .signatureRefused(let refusal):
            return made(.httpStatus, refusal.text, status: refusal.status, retry: false)
        case .rangeIgnored:
            return made(.wrongRange, "the server stopped honouring byte ranges; try one segment.")
        case .wrongRange(let what):
            return made(
                .wrongRange, "the server keeps answering with \(what) instead of the requested bytes.")
        case .encoded:
            return made(.encodedContent, "\(clause).", retry: false).remedied(by: .encodedContent)
        case .redirect(_, let remedy):
            var error = made(.badRedirect, "\(clause).", retry: false)
            error.remedy = remedy
            return error
        case .page:
            return made(
                .remoteFileChanged,
                "\(clause) now; open it in a browser, and run it again once the file is back.")
        case .directory:
            return made(
                .badRedirect, "\(clause), although its listing shows it as a file.", retry: false)
        case .shortBody:
            return made(
                .lengthMismatch,
                "the server keeps sending fewer bytes than it announces; \(circumstances.advice()).")
        case .mixedUp:
            return made(.checksumMismatch, "\(clause); try again later.")
        case .unproven:
            return made(.remoteFileChanged, "\(clause); try one segment.")
        case .changed(let what):
            return made(
                .remoteFileChanged, "the file on the server keeps changing (\(what)); try again later.")
        case .storage(let error):
            return error.asDownloadError
        case .other(let error):
            return error
        }
    }

    /// Returns the error with advice about the authentication schemes that the server offers.
    private func unauthorized(
        _ error: DownloadError, _ wants: AuthenticationSchemes, _ circumstances: Circumstances
    ) -> DownloadError {
        let advice: (text: String, remedy: DownloadError.Remedy?)
        switch (wants.obstacle, circumstances.hasCredentials) {
        case (nil, true): advice = ("check the user name and password", nil)
        case (nil, false): advice = ("give credentials", .credentials)
        case (.digest, true):
            advice = ("it only accepts digest authentication; check the user name and password", .digest)
        case (.digest, false):
            advice = ("it only accepts digest authentication; give credentials", .digestCredentials)
        case (.token, _): advice = ("it requires a token", .token)
        case (.unsupported(let names), _):
            advice = ("it only accepts \(names.joined(separator: " or ")), which is not supported", nil)
        }
        var error = error
        error.message += ": \(advice.text)."
        error.remedy = advice.remedy
        return error
    }

    private static func withoutStop(_ text: String) -> String {
        text.hasSuffix(".") ? String(text.dropLast()) : text
    }
}

extension RefusedStatus {
    fileprivate var peer: String { server?.description ?? "the server" }

    fileprivate var said: String { reason.map { ", and says '\($0)'" } ?? "" }

    fileprivate var meaning: String {
        switch code {
        case 301, 302, 303, 307, 308: " (a redirect without a target)"
        case 401: " (unauthorized)"
        case 403: " (forbidden)"
        case 404: " (not found)"
        case 407: " (proxy authentication required)"
        case 410: " (gone)"
        default: ""
        }
    }

    /// A redirect is not a response to CONNECT: it may lead to the page of a network that requires a login.
    fileprivate var meaningOfProxy: String {
        (300...399).contains(code) ? " (a redirect, perhaps to a login page)" : meaning
    }

    /// The advice for a proxy that requires authentication.
    private var adviceOfProxy: String {
        switch schemesOfProxy.obstacle {
        case .unsupported(let names):
            "the proxy only accepts \(names.joined(separator: " or ")), which is not supported"
        case .digest: "the proxy only accepts digest authentication; check the user name and password"
        case .token, nil: "give the proxy's user name and password"
        }
    }

    fileprivate var schemesOfProxy: AuthenticationSchemes {
        let fields = answer?.headers.filter { $0.name.lowercased() == "proxy-authenticate" } ?? []
        return AuthenticationSchemes(fields.map(\.value))
    }

    fileprivate func advice(_ circumstances: Circumstances) -> String? {
        switch code {
        case 403 where circumstances.hasCredentials:
            "the URL may have expired, or the user may not have access"
        case 403:
            "the URL may have expired or need credentials, or the server may refuse programs by their User-Agent"
        case 404: "check the URL"
        case 407: adviceOfProxy
        case 410: "the file was removed"
        default: nil
        }
    }
}
