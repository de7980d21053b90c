/// The reason why a requested connection is not granted now.
enum ConnectionObstacle: Hashable, Sendable {
    /// The cap on all connections.
    case connections(Int)
    /// The cap on the connections to one host.
    case connectionsPerHost(Int)
    /// The cap on the requests to one host.
    case requestsPerHost(Int)
    /// The host has refused requests or connections: it is paused, or limited to as many as it has accepted.
    case host
}

extension SchedulerState {
    /// Returns why a file gets no further connection; `nil` if it is not waiting for one, or only because the
    /// host refused one of its requests.
    ///
    /// - Parameter host: The host of the connection.
    func obstacle(of file: FileID, at host: String, now: Double) -> ConnectionObstacle? {
        let first = waiting.lazy.filter { connections[$0]?.file == file }.min()
        guard let connection = first.flatMap({ connections[$0] }) else {
            guard files[file]?.refusedBy.contains(host) ?? false else { return nil }
            return hosts[host]?.cap != nil && room(at: Place(host: host), now: now) < 1 ? .host : nil
        }
        let known = hosts[connection.host]
        if isPaused(connection, now: now) { return .host }
        guard needsConnection(connection) else {
            let cap = limits.requestsPerHost
            return known?.cap.map { $0 < cap } ?? false ? .host : .requestsPerHost(cap)
        }
        guard room(at: connection.place, now: now) < 1 else { return .connections(limits.connections) }
        let cap = limits.connectionsPerHost
        return known?.cap.map { $0 < cap } ?? false ? .host : .connectionsPerHost(cap)
    }
}
