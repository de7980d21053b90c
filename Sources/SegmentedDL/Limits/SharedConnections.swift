/// The concurrent requests to one host that share connections (HTTP/2), and the number of these connections.
///
/// A lost packet delays all responses of its connection, and the server sends less over it for many round
/// trips. Requests to a distant host therefore share several connections.
struct SharedConnections: Equatable, Sendable {
    /// The round-trip time, in seconds, from which a host is distant.
    static let shortestRoundTrip = 0.02
    /// The number of requests for which one more connection is opened, if the caps allow it.
    static let requestsEach = 4

    private(set) var requests = 0
    private(set) var connections = 0

    private static func worthwhile(for requests: Int) -> Int { (requests + requestsEach - 1) / requestsEach }

    /// Returns the maximum number of requests on each connection, so that none waits.
    ///
    /// - Parameter others: The number of other requests that may share the connections.
    func requestsOnEach(with others: Int = 0) -> Int {
        let connections = max(1, connections)
        return max(Self.requestsEach, (requests + others + connections - 1) / connections)
    }

    /// Returns true if one more request opens one more connection. The first request always does.
    ///
    /// - Parameter mayOpen: True if another one may.
    func opensAnother(mayOpen: Bool) -> Bool {
        connections == 0 || mayOpen && connections < Self.worthwhile(for: requests + 1)
    }

    /// Adds a request.
    ///
    /// - Parameter mayOpen: The same as for `opensAnother`.
    /// - Returns: True if it opens one more connection.
    mutating func add(mayOpen: Bool) -> Bool {
        let opens = opensAnother(mayOpen: mayOpen)
        requests += 1
        if opens { connections += 1 }
        return opens
    }

    /// Lowers the number of connections, as far as that many are not open.
    mutating func lower(to count: Int) { connections = min(connections, max(1, count)) }

    /// Removes a request. Each remaining one may use another connection, so that none counts as unused while
    /// there are as many requests as connections.
    ///
    /// - Returns: True if one of the connections is no longer used.
    mutating func remove() -> Bool {
        requests -= 1
        guard connections > requests else { return false }
        connections -= 1
        return true
    }
}
