/// Records whether one host supports requests that share a connection (HTTP/2).
struct Multiplexing: Equatable, Sendable {
    /// The number of consecutive failures after which the host's requests share only one connection, if they
    /// shared several, or else use HTTP/1.1. Failures of simultaneous requests count once.
    static let maximumFailures = 3

    /// True once the host has answered over a shared connection; false if it does not support one, or fails
    /// too often.
    private(set) var isShared: Bool?
    /// True if round trips to the host are long.
    private var isDistant = false
    /// True if requests failed too often while they shared several connections: a host may accept only one.
    private var isConfined = false
    private var failures = 0
    /// True if several connections were shared at one of these failures.
    private var sharedSeveral = false
    /// The newest request at the last failure that counted.
    private var newestAtFailure = Int.min

    /// True if a request may offer to share its connection.
    var mayOffer: Bool { isShared ?? true }

    /// True if requests may share several connections.
    var mayShareSeveral: Bool { isShared == true && isDistant && !isConfined }

    /// Records the response to a request that offered a shared connection.
    ///
    /// - Parameter isDistant: True if round trips to the host are long.
    mutating func answered(isShared: Bool, isDistant: Bool = false) {
        // Responses to earlier requests may arrive after sharing has ended.
        if self.isShared != false { self.isShared = isShared }
        if isDistant { self.isDistant = true }
    }

    /// Records that a response arrived completely.
    mutating func worked() {
        (failures, sharedSeveral) = (0, false)
    }

    /// Records that a request that had offered a shared connection was lost.
    ///
    /// - Parameters:
    ///   - request: Its number.
    ///   - newest: The highest request number so far.
    ///   - connections: The number of connections that requests to the host share.
    mutating func failed(_ request: Int, newest: Int, sharing connections: Int = 1) {
        guard request > newestAtFailure else { return }
        newestAtFailure = newest
        failures += 1
        sharedSeveral = sharedSeveral || connections > 1
        guard failures >= Self.maximumFailures else { return }
        if sharedSeveral, !isConfined {
            isConfined = true
            worked()
        } else {
            isShared = false
        }
    }
}
