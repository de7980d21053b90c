/// The reason why one connection's work ended early. `RetryState` decides if it is the file's failure.
package enum TransferFailure: Error, Sendable {
    case network(EngineError)
    case busy(status: Int, retryAfter: Double?)
    /// The server answered 200 to a later range: it does not honour each range.
    case rangeIgnored
    case wrongRange(String)
    case encoded(String)
    case redirect(String)
    /// A redirect to the directory that the URL is, where a file is wanted.
    case directory(Source)
    /// A status that may pass.
    case failing(status: Int)
    /// A status that will not pass.
    case refused(status: Int)
    /// A signed request was refused.
    case signatureRefused(SignatureRefusal)
    /// The body ended before its stated length, although libcurl saw no error.
    case shortBody
    /// Only the ETag differs, and there are no bytes on disk yet to compare.
    case unproven
    /// The remote file is another one now; the text names the difference.
    case changed(String)
    case storage(StorageError)
    case other(DownloadError)
}

extension TransferFailure {
    /// The failure that an answer is for any request; `nil` if it is of use to some request.
    init?(_ verdict: ResponseVerdict) {
        switch verdict {
        case .busy(let status, let retryAfter): self = .busy(status: status, retryAfter: retryAfter)
        case .gone(let status), .refused(let status): self = .refused(status: status)
        case .signatureRefused(let refusal): self = .signatureRefused(refusal)
        case .failing(let status): self = .failing(status: status)
        case .wrongRange(let what): self = .wrongRange(what)
        case .malformed(let what): self = .network(EngineError(kind: .badResponse, message: what))
        case .encoded(let encoding): self = .encoded(encoding)
        case .unsatisfiable: self = .refused(status: 416)
        case .unchanged: self = .refused(status: 304)
        case .range, .whole, .redirect: return nil
        }
    }

    /// True if it concerns new requests only: an answer that is under way is all the more valuable.
    package var isOfNewRequests: Bool {
        switch self {
        case .rangeIgnored, .wrongRange, .encoded, .redirect, .directory, .refused, .signatureRefused: true
        case .network, .busy, .failing, .shortBody, .unproven, .changed, .storage, .other: false
        }
    }

    /// True if it may mean that the host serves no further connections.
    package var isOfNewConnections: Bool {
        switch self {
        case .busy, .network: true
        default: false
        }
    }

    /// Returns the error that the download's caller gets when nothing else helps.
    package func error(for source: Source, file: String) -> DownloadError {
        func made(_ code: DownloadError.Code, _ text: String, status: Int? = nil, retry: Bool = true)
            -> DownloadError
        {
            DownloadError(
                code, "\(file): \(text)", url: source.description, status: status, isRetryable: retry,
                cause: self)
        }
        switch self {
        case .network(let error):
            let isLasting = error.kind == .setting || error.kind == .tls
            let advice = isLasting ? "check the settings" : "run it again to resume"
            return made(error.code, "\(error.explained(for: source)); \(advice).", retry: !isLasting)
        case .busy(let status, _):
            return made(.httpStatus, "the server is busy (\(status)); try again later.", status: status)
        case .failing(let status):
            return made(.httpStatus, "the server failed with \(status); try again later.", status: status)
        case .refused(let status):
            return made(
                .httpStatus, "the server answered \(status)\(Self.hint(status)).", status: status,
                retry: false)
        case .signatureRefused(let refusal):
            return made(.httpStatus, refusal.text, status: refusal.status, retry: false)
        case .rangeIgnored:
            return made(.wrongRange, "the server stopped honouring byte ranges; try it with one segment.")
        case .wrongRange(let what):
            return made(
                .wrongRange, "the server keeps answering with \(what) instead of the bytes asked for.")
        case .encoded(let encoding):
            return made(
                .encodedContent,
                "the server sends the file encoded as '\(encoding)', which was not asked for.",
                retry: false)
        case .redirect(let what):
            return made(.badRedirect, "it \(what)" + (what.hasSuffix(".") ? "" : "."), retry: false)
        case .directory(let place):
            return made(
                .badRedirect, "it is a directory, '\(place)', although its listing names it like a file.",
                retry: false)
        case .shortBody:
            return made(
                .lengthMismatch, "the server keeps sending less than it announces; run it again to resume.")
        case .unproven:
            return made(
                .remoteFileChanged,
                "the server's answers do not show that they are of one file; try it with one segment.")
        case .changed(let what):
            return made(
                .remoteFileChanged, "the file on the server keeps changing (\(what)); try again later.")
        case .storage(let error):
            return error.asDownloadError
        case .other(let error):
            return error
        }
    }

    private static func hint(_ status: Int) -> String {
        switch status {
        case 401: " (unauthorized): give credentials"
        case 403: " (forbidden): the URL may have expired, or needs credentials"
        case 404: " (not found): check the URL"
        case 407: " (proxy authentication required): give the proxy's user name and password"
        case 410: " (gone): the file was removed"
        default: ""
        }
    }
}

extension EngineError {
    package var code: DownloadError.Code {
        switch kind {
        case .resolve: .cannotResolve
        case .connect, .lost, .other, .proxyRefused: .connectionFailed
        case .tls: .tlsFailed
        case .timeout: .timedOut
        case .truncated: .lengthMismatch
        case .badResponse: .badResponse
        case .setting: .invalidSetting
        }
    }

    package func explained(for source: Source) -> String {
        let host = source.origin.description
        return switch kind {
        case .resolve: "the host '\(source.origin.host)' cannot be resolved (\(message))"
        case .connect: "no connection to \(host) (\(message))"
        case .tls: "TLS with \(host) failed (\(message))"
        case .timeout: "\(host) does not answer in time (\(message))"
        case .lost, .truncated: "the connection to \(host) was lost (\(message))"
        case .badResponse: "\(host) sent an invalid response (\(message))"
        case .setting: "a setting was refused (\(message))"
        case .other, .proxyRefused: "the transfer from \(host) failed (\(message))"
        }
    }
}
