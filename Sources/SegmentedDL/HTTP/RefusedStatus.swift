/// The status of a response without the file, with further facts about the response.
package struct RefusedStatus: Equatable, Sendable, ExpressibleByIntegerLiteral {
    package var code: Int
    /// The server that sent it; `nil` for the source's own.
    package var server: Origin?
    /// The reason in the body (`RefusalReason`).
    package var reason: String?
    /// The head of the response.
    package var answer: ResponseInfo?

    package init(_ code: Int, of server: Origin? = nil) {
        self.code = code
        self.server = server
    }

    package init(integerLiteral code: Int) {
        self.init(code)
    }

    /// True for a proxy's response to CONNECT that a retry does not change, such as 501 (no tunnels).
    var isOfNoTunnel: Bool { code < 500 || code == 501 || code == 505 }

    /// Compares all but the heads.
    package static func == (one: RefusedStatus, other: RefusedStatus) -> Bool {
        one.code == other.code && one.server == other.server && one.reason == other.reason
    }
}

extension TransferFailure {
    /// Adds the server that sent the response, and the reason in its body, to the failure.
    ///
    /// - Parameters:
    ///   - answer: The head of the response.
    ///   - source: The source that was requested; redirects may lead to another server.
    func told(
        by server: Origin, reason: String?, answer: ResponseInfo? = nil, of source: Source
    ) -> TransferFailure {
        func told(_ status: RefusedStatus) -> RefusedStatus {
            var status = status
            status.server = server == source.origin ? nil : server
            status.reason = reason
            status.answer = answer
            return status
        }
        switch self {
        case .busy(let status, let wait): return .busy(status: told(status), retryAfter: wait)
        case .busyForFile(let status, let wait): return .busyForFile(status: told(status), retryAfter: wait)
        case .failing(let status): return .failing(status: told(status))
        case .refused(let status, let wants): return .refused(status: told(status), wants: wants)
        case .expired(let status, let time): return .expired(status: told(status), at: time)
        case .signatureRefused(var refusal):
            refusal.reason = reason
            refusal.answer = answer
            return .signatureRefused(refusal)
        case .network(let error): return .network(error.at(server))
        default: return self
        }
    }

    /// The head of a refusal; `nil` for other failures.
    var answer: ResponseInfo? {
        switch self {
        case .busy(let status, _), .busyForFile(let status, _), .failing(let status), .refused(let status, _),
            .expired(let status, _):
            status.answer
        case .signatureRefused(let refusal): refusal.answer
        default: nil
        }
    }

    /// The reason in the body of a refusal; `nil` for none.
    var reason: String? {
        switch self {
        case .busy(let status, _), .busyForFile(let status, _), .failing(let status), .refused(let status, _),
            .expired(let status, _):
            status.reason
        case .signatureRefused(let refusal): refusal.reason
        default: nil
        }
    }
}
