/// Which of the engine's threads a request goes to.
///
/// Each thread keeps its connections for later requests. Were a request to go to another thread than the one that has a
/// connection to its host and nothing to do with it, another connection would be opened, and the host have more of them
/// than its cap, which counts requests, allows.
struct LaneChoice: Sendable {
    private struct Lane: Sendable {
        /// Those included that wait to be sent.
        var transfers = 0
        /// Hosts to which there are connections that have nothing to do, the one with the latest last, and how many there are:
        /// at most, as a server may have closed some.
        var idle: [(host: String, count: Int)] = []

        func keeps(_ host: String) -> Bool { idle.contains { $0.host == host } }

        mutating func take(_ host: String) {
            guard let index = idle.lastIndex(where: { $0.host == host }) else { return }
            idle[index].count -= 1
            if idle[index].count == 0 { idle.remove(at: index) }
        }

        mutating func keep(_ host: String, among most: Int) {
            let known = idle.lastIndex { $0.host == host }.map { idle.remove(at: $0).count } ?? 0
            if idle.count >= most { idle.removeFirst() }
            idle.append((host, known + 1))
        }
    }

    /// A request's place on one of the threads.
    struct Place: Sendable {
        /// Of all requests of the engine.
        let id: TransferID
        /// The number of its thread.
        let lane: Int
    }

    private var lanes: [Lane] = []
    private var hosts: [TransferID: String] = [:]
    private var nextID = 0
    private let mostIdle: Int

    /// - Parameter maxConnections: How many connections each thread keeps: with more the oldest one is closed
    ///   (CURLMOPT_MAXCONNECTS).
    init(maxConnections: Int) {
        mostIdle = maxConnections
    }

    /// There is one more thread; its number is that of those before it.
    mutating func add() {
        lanes.append(Lane())
    }

    /// A request is about to go to a host.
    ///
    /// - Parameters:
    ///   - host: Empty for one with a connection of its own, which nobody else gets.
    ///   - isSpread: Whether a connection may be opened by any thread. If not, by the first one.
    mutating func begin(to host: String, isSpread: Bool) -> Place {
        let kept = lanes.indices.filter { lanes[$0].keeps(host) }
        let candidates = kept.isEmpty ? Array(isSpread ? lanes.indices : 0..<1) : kept
        let lane = candidates.min { lanes[$0].transfers < lanes[$1].transfers } ?? 0
        lanes[lane].transfers += 1
        lanes[lane].take(host)
        nextID += 1
        hosts[nextID] = host
        return Place(id: nextID, lane: lane)
    }

    /// A request is over, or will be for the thread before it comes to what is sent there from now on. A second time says nothing.
    mutating func end(_ place: Place, keepsConnection: Bool) {
        guard let host = hosts.removeValue(forKey: place.id) else { return }
        lanes[place.lane].transfers -= 1
        if keepsConnection, !host.isEmpty { lanes[place.lane].keep(host, among: mostIdle) }
    }
}
