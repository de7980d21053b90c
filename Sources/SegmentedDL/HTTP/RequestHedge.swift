/// Decides when a request without a response is repeated in parallel, on another connection.
///
/// Each request continues until one of them succeeds, so that a server that is merely slow costs nothing but
/// the additional requests.
struct RequestHedge: Equatable, Sendable {
    /// The maximum number of requests, including the first one.
    static let most = 3
    /// If the second request has no response either, the third one follows after this many seconds.
    static let repeatSeconds = 2.5

    private var sent = 1
    private var pending = 1

    /// A silence has lasted long enough.
    ///
    /// - Parameter isPrompt: True if the host responds at once to other requests.
    /// - Returns: True if another request must be sent.
    mutating func isSilent(isPrompt: Bool) -> Bool {
        guard isPrompt, sent < Self.most else { return false }
        sent += 1
        pending += 1
        return true
    }

    /// A request has failed.
    ///
    /// - Returns: True if no other one can succeed.
    mutating func failed() -> Bool {
        pending -= 1
        return pending == 0
    }
}
