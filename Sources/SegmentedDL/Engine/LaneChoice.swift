/// The choice of the engine's thread that a request goes to.
///
/// Each thread keeps its connections for later requests. A request goes to a thread that has an idle
/// connection to its host, because otherwise another thread would open a further one, and the host would have
/// more connections than its cap allows, which counts requests. Where a new connection would be one too many
/// of all, idle ones included, it goes to a thread that can close an idle one for it.
struct LaneChoice: Sendable {
    private struct Lane: Sendable {
        /// How many requests it has, including those that wait to be sent.
        var requests = 0
        /// Hosts with idle connections and the number of these, the most recent host last. The numbers are
        /// upper bounds, as a server may have closed some.
        var idle: [(host: String, count: Int)] = []

        /// How many connections it has at most, open and idle.
        var connections: Int { requests + idle.reduce(0) { $0 + $1.count } }

        /// Forgets the idle connection that has been idle for longest, which libcurl closes for a new one.
        mutating func closeOldest() {
            guard !idle.isEmpty else { return }
            idle[0].count -= 1
            if idle[0].count == 0 { idle.removeFirst() }
        }

        func keeps(_ host: String) -> Bool { idle.contains { $0.host == host } }

        /// - Returns: False if it has no idle connection to the host.
        mutating func take(_ host: String) -> Bool {
            guard let index = idle.lastIndex(where: { $0.host == host }) else { return false }
            idle[index].count -= 1
            if idle[index].count == 0 { idle.remove(at: index) }
            return true
        }

        mutating func keep(_ host: String, upTo maximum: Int) {
            let known = idle.lastIndex { $0.host == host }.map { idle.remove(at: $0).count } ?? 0
            if idle.count >= maximum { idle.removeFirst() }
            idle.append((host, known + 1))
        }
    }

    /// A request's number, and the thread that it was given to.
    struct Ticket: Sendable {
        /// A number that no other request of the engine has.
        let id: TransferID
        /// The number of the thread.
        let lane: Int
    }

    private var lanes: [Lane] = []
    private var hosts: [TransferID: String] = [:]
    private var nextID = 0
    /// The most connections of all threads.
    var maximumConnections: Int

    init(maxConnections: Int) {
        maximumConnections = maxConnections
    }

    /// Adds a thread. The first one has the number 0.
    mutating func add() {
        lanes.append(Lane())
    }

    /// Chooses the thread for a request to a host.
    ///
    /// - Parameters:
    ///   - host: Empty for a request with a connection of its own, which no other request gets.
    ///   - isSpread: True if any thread may open a connection; if false, only the first one.
    mutating func begin(to host: String, isSpread: Bool) -> Ticket {
        let kept = lanes.indices.filter { lanes[$0].keeps(host) }
        var candidates = kept.isEmpty ? Array(isSpread ? lanes.indices : 0..<1) : kept
        let isFull = lanes.reduce(0) { $0 + $1.connections } >= maximumConnections
        if kept.isEmpty, isFull {
            let closing = lanes.indices.filter { !lanes[$0].idle.isEmpty }
            if !closing.isEmpty { candidates = closing }
        }
        let lane = candidates.min { lanes[$0].requests < lanes[$1].requests } ?? 0
        if !lanes[lane].take(host), isFull { lanes[lane].closeOldest() }
        lanes[lane].requests += 1
        nextID += 1
        hosts[nextID] = host
        return Ticket(id: nextID, lane: lane)
    }

    /// Returns how many connections a thread may have now, idle ones included
    /// (CURLMOPT_MAX_TOTAL_CONNECTIONS).
    func connections(of lane: Int) -> Int { lanes[lane].connections }

    /// Ends a request that is over, or that its thread will end before it runs any command posted from now
    /// on. Further calls have no effect.
    mutating func end(_ ticket: Ticket, keepsConnection: Bool) {
        guard let host = hosts.removeValue(forKey: ticket.id) else { return }
        lanes[ticket.lane].requests -= 1
        if keepsConnection, !host.isEmpty { lanes[ticket.lane].keep(host, upTo: maximumConnections) }
    }
}
