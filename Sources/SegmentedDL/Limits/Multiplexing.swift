/// Knowledge from one host's answers about requests that share a connection (HTTP/2).
struct Multiplexing: Equatable, Sendable {
    /// The number of consecutive failures after which the host only receives HTTP/1.1. Simultaneous requests
    /// fail together, so they count once.
    static let maximumFailures = 3

    /// True once the host has answered over a shared connection; false if it does not, or fails too often.
    private(set) var isShared: Bool?
    private var failures = 0
    /// The newest request at the last failure that counted.
    private var newestAtFailure = Int.min

    /// True if a request may offer to share its connection.
    var mayOffer: Bool { isShared ?? true }

    /// Learns from the answer to a request that has offered it.
    mutating func answered(isShared: Bool) {
        // Answers to earlier requests may arrive after the sharing ended.
        if self.isShared != false { self.isShared = isShared }
    }

    /// Learns that an answer arrived completely.
    mutating func worked() {
        failures = 0
    }

    /// Learns that a request was lost that had offered to share its connection.
    ///
    /// - Parameters:
    ///   - request: Its number.
    ///   - newest: The highest request number so far.
    mutating func failed(_ request: Int, newest: Int) {
        guard request > newestAtFailure else { return }
        newestAtFailure = newest
        failures += 1
        if failures >= Self.maximumFailures { isShared = false }
    }
}
