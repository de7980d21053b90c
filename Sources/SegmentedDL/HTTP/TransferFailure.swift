/// The reason why one connection ended early. `RetryState` decides whether the file fails.
package enum TransferFailure: Error, Sendable {
    case network(EngineError)
    case busy(status: RefusedStatus, retryAfter: Double?)
    /// Refused repeatedly, while the server serves other files.
    case busyForFile(status: RefusedStatus, retryAfter: Double?)
    /// The server answered 200 to a later range: it does not honour every range.
    case rangeIgnored
    case wrongRange(String)
    case encoded(String)
    case redirect(String, remedy: DownloadError.Remedy? = nil)
    /// A web page or a short message instead of a file that was neither before, such as a login page or a
    /// message about a limit.
    case page
    /// A redirect to a directory instead of a file.
    case directory(Source)
    /// A transient status.
    case failing(status: RefusedStatus)
    /// A permanent status.
    case refused(status: RefusedStatus, wants: AuthenticationSchemes = AuthenticationSchemes())
    /// The signed URL has expired, at this time in seconds since 1970 if it is known.
    case expired(status: RefusedStatus, at: Int64?)
    /// The proxy refused a tunnel to the server.
    case proxyRefused(status: RefusedStatus)
    /// A signed request was refused.
    case signatureRefused(SignatureRefusal)
    /// The body ended before its stated length, although libcurl reported no error.
    case shortBody
    /// The bytes do not belong to the file, whose request was pipelined.
    case mixedUp
    /// Only the ETag differs, and no bytes are on disk yet to compare.
    case unproven
    /// The remote file has changed; the text describes the difference.
    case changed(String)
    case storage(StorageError)
    case other(DownloadError)
}

extension TransferFailure {
    /// The description of a part without a length that continues past the end of the file.
    static let beyondEnd = "more bytes than its Content-Range states"

    /// The failure that a verdict means for every request; `nil` if some request can use the response.
    init?(_ verdict: ResponseVerdict) {
        switch verdict {
        case .busy(let status, let retryAfter): self = .busy(status: .init(status), retryAfter: retryAfter)
        case .busyForFile(let status, let retryAfter):
            self = .busyForFile(status: .init(status), retryAfter: retryAfter)
        case .gone(let status, let wants): self = .refused(status: .init(status), wants: wants)
        case .refused(let status): self = .refused(status: .init(status))
        case .expired(let status, let time): self = .expired(status: .init(status), at: time)
        case .signatureRefused(let refusal): self = .signatureRefused(refusal)
        case .failing(let status): self = .failing(status: .init(status))
        case .wrongRange(let what): self = .wrongRange(what)
        case .malformed(let what): self = .network(.malformed(what))
        case .encoded(let encoding): self = .encoded(encoding)
        case .unsatisfiable: self = .refused(status: 416)
        case .unchanged: self = .refused(status: 304)
        case .range, .whole, .redirect: return nil
        }
    }

    /// Returns the failure of a request for a range that begins after the first byte. An invalid response may
    /// then concern only ranges: after two of them the whole file is requested, and after a valid response to
    /// that, a range once more.
    var ofLaterRange: TransferFailure {
        guard case .network(var error) = self, let most = error.mostRetries, most > 0 else { return self }
        error.mostRetries = max(most, 3)
        return .network(error)
    }

    /// True if it affects only new requests, so that responses in progress should be kept.
    package var isOfNewRequests: Bool {
        switch self {
        case .changed, .rangeIgnored, .wrongRange, .encoded, .redirect, .page, .directory,
            .refused, .expired, .signatureRefused, .busyForFile, .proxyRefused:
            true
        case .network, .busy, .failing, .shortBody, .mixedUp, .unproven, .storage, .other: false
        }
    }

    /// True if a request without a range may succeed where those with ranges do not.
    var isOfRanges: Bool {
        switch self {
        case .rangeIgnored, .wrongRange, .encoded, .shortBody: true
        default: false
        }
    }

    /// The delay in seconds, 1 or more, that a busy host requests; `nil` if it states none.
    package var requestedDelay: Double? {
        guard case .busy(_, let seconds?) = self, seconds >= 1 else { return nil }
        return seconds
    }

    /// The delay in seconds that the server requests for this file only; `nil` if it states none.
    var waitOfFile: Double? {
        if case .busyForFile(_, let retryAfter) = self { retryAfter } else { nil }
    }

    /// The number of seconds for which a host that has answered before was unreachable; `nil` for other
    /// failures.
    var outageSeconds: Double? {
        if case .network(let error) = self { error.outageSeconds } else { nil }
    }

    /// True if a host may send it to every request of a client that it has banned for a while: a 4xx other
    /// than those about credentials, the range, or a file that is certainly gone.
    var mayBeBan: Bool {
        guard case .refused(let status, _) = self else { return false }
        return switch status.code {
        case 401, 407, 410, 416, 451: false
        default: (400...499).contains(status.code)
        }
    }

    /// True if it may indicate that the host accepts no further connections.
    package var isOfNewConnections: Bool {
        switch self {
        case .busy, .network, .failing: true
        default: false
        }
    }
}
