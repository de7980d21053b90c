/// The knowledge from one host's answers about requests that share a connection (HTTP/2).
struct Multiplexing: Equatable, Sendable {
    /// The number of failures in a row after which the host is asked in HTTP/1.1 alone. Requests that were
    /// under way at the same time fail together, so they count once.
    static let maximumFailures = 3

    /// True once the host has answered over a shared connection; false if it does not, or too often fails.
    private(set) var isShared: Bool?
    private var failures = 0
    /// The newest request at the last failure that counted.
    private var newestAtFailure = Int.min

    /// True if a request may offer to share its connection.
    var mayOffer: Bool { isShared ?? true }

    /// Learns from an answer to a request that has offered it.
    mutating func answered(isShared: Bool) {
        // Answers that were under way when the sharing ended come later.
        if self.isShared != false { self.isShared = isShared }
    }

    /// Learns that an answer arrived whole.
    mutating func worked() {
        failures = 0
    }

    /// Learns that a request was lost that had offered to share its connection.
    ///
    /// - Parameters:
    ///   - request: Its number.
    ///   - newest: The highest number of a request so far.
    mutating func failed(_ request: Int, newest: Int) {
        guard request > newestAtFailure else { return }
        newestAtFailure = newest
        failures += 1
        if failures >= Self.maximumFailures { isShared = false }
    }
}
