/// The reason why one connection's work ended early. `RetryState` decides if it is the file's failure.
package enum TransferFailure: Error, Sendable {
    case network(EngineError)
    case busy(status: RefusedStatus, retryAfter: Double?)
    /// The same again and again, while the server answers requests for other files.
    case busyForFile(status: RefusedStatus, retryAfter: Double?)
    /// The server answered 200 to a later range: it does not honour each range.
    case rangeIgnored
    case wrongRange(String)
    case encoded(String)
    case redirect(String, remedy: DownloadError.Remedy? = nil)
    /// A web page or a few words instead of a file that was none before: a login, or words about a limit.
    case page
    /// A redirect to the directory that the URL is, where a file is wanted.
    case directory(Source)
    /// A status that may pass.
    case failing(status: RefusedStatus)
    /// A status that will not pass.
    case refused(status: RefusedStatus, wants: AuthenticationSchemes = AuthenticationSchemes())
    /// The proxy opens no tunnel to the server.
    case proxyRefused(status: RefusedStatus)
    /// A signed request was refused.
    case signatureRefused(SignatureRefusal)
    /// The body ended before its stated length, although libcurl saw no error.
    case shortBody
    /// The bytes are not those of the file, which was asked for ahead of the answers to other requests.
    case mixedUp
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
        case .busy(let status, let retryAfter): self = .busy(status: .init(status), retryAfter: retryAfter)
        case .busyForFile(let status, let retryAfter):
            self = .busyForFile(status: .init(status), retryAfter: retryAfter)
        case .gone(let status, let wants): self = .refused(status: .init(status), wants: wants)
        case .refused(let status): self = .refused(status: .init(status))
        case .signatureRefused(let refusal): self = .signatureRefused(refusal)
        case .failing(let status): self = .failing(status: .init(status))
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
        case .changed, .rangeIgnored, .wrongRange, .encoded, .redirect, .page, .directory,
            .refused, .signatureRefused, .busyForFile, .proxyRefused:
            true
        case .network, .busy, .failing, .shortBody, .mixedUp, .unproven, .storage, .other: false
        }
    }

    /// The seconds that the server asks this file alone to wait; `nil` if it names none.
    var waitOfFile: Double? {
        if case .busyForFile(_, let retryAfter) = self { retryAfter } else { nil }
    }

    /// The seconds for which no connection could be made to a host that has answered before; `nil` for other
    /// failures.
    var outageSeconds: Double? {
        if case .network(let error) = self { error.outageSeconds } else { nil }
    }

    /// True if it may mean that the host serves no further connections.
    package var isOfNewConnections: Bool {
        switch self {
        case .busy, .network, .failing: true
        default: false
        }
    }
}
