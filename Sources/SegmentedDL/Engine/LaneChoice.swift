/// The choice of the engine's thread that a request goes to.
///
/// Each thread keeps its connections for later requests. A request goes to a thread that has an idle
/// connection to its host, because otherwise another thread would open a further one, and the host would have
/// more connections than its cap allows, which counts requests. Where a new connection would be one too many
/// of all, idle ones included, it goes to a thread that can close an idle one for it.
struct LaneChoice: Sendable {
    private struct Lane: Sendable {
        /// How many requests with a connection of their own it has, including those that wait to be sent.
        var requests = 0
        /// How many requests share a connection to each host.
        var streams: [String: Int] = [:]
        /// Hosts with idle connections and the number of these, the most recent host last. The numbers are
        /// upper bounds, as a server may have closed some.
        var idle: [(host: String, count: Int)] = []

        /// How many connections it has at most, open and idle.
        var connections: Int { requests + streams.count + idle.reduce(0) { $0 + $1.count } }

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
        let host: String
        /// True if the request may be one of several over one connection.
        let mayShare: Bool
    }

    private var lanes: [Lane] = []
    /// The thread of all requests that may share a connection. No other request goes there, because libcurl
    /// 7.88 takes a connection in HTTP/1.1 for one that can be shared where it has both kinds to a host, and
    /// mixes up the answers.
    private var sharingLane: Int?
    /// The requests that are not over, and whether each is one of several over one connection.
    private var requests: [TransferID: Bool] = [:]
    /// Hosts with a shared connection.
    private var shared: Set<String> = []
    private var nextID = 0
    /// The most connections of all threads.
    var maximumConnections: Int

    init(maxConnections: Int) {
        maximumConnections = maxConnections
    }

    /// Adds a thread. The first one has the number 0.
    ///
    /// - Parameter isForSharing: True for the thread of the requests that may share a connection.
    mutating func add(isForSharing: Bool = false) {
        if isForSharing { sharingLane = lanes.count }
        lanes.append(Lane())
    }

    private var ownLanes: [Int] { lanes.indices.filter { $0 != sharingLane } }

    /// Chooses the thread for a request to a host.
    ///
    /// - Parameters:
    ///   - host: Empty for a request with a connection of its own, which no other request gets.
    ///   - isSpread: True if any thread may open a connection; if false, only the first one.
    ///   - mayShare: True if the request may share a connection with others.
    mutating func begin(to host: String, isSpread: Bool, mayShare: Bool = false) -> Ticket {
        var isStream = false
        let lane: Int
        if mayShare, let sharingLane {
            lane = sharingLane
            isStream = shared.contains(host)
            if isStream { addStream(to: host, on: lane) } else { lanes[lane].requests += 1 }
        } else {
            lane = laneForOwnConnection(to: host, isSpread: isSpread)
            lanes[lane].requests += 1
        }
        nextID += 1
        requests[nextID] = isStream
        return Ticket(id: nextID, lane: lane, host: host, mayShare: lane == sharingLane)
    }

    private mutating func addStream(to host: String, on lane: Int) {
        let isFirst = lanes[lane].streams[host] == nil
        if isFirst, !lanes[lane].take(host), isFull { lanes[lane].closeOldest() }
        lanes[lane].streams[host, default: 0] += 1
    }

    private var isFull: Bool { lanes.reduce(0) { $0 + $1.connections } >= maximumConnections }

    private mutating func laneForOwnConnection(to host: String, isSpread: Bool) -> Int {
        let lanesToUse = ownLanes
        let kept = lanesToUse.filter { lanes[$0].keeps(host) }
        var candidates = kept.isEmpty ? isSpread ? lanesToUse : [0] : kept
        let isFull = isFull
        if kept.isEmpty, isFull {
            let closing = lanesToUse.filter { !lanes[$0].idle.isEmpty }
            if !closing.isEmpty { candidates = closing }
        }
        let lane = candidates.min { lanes[$0].requests < lanes[$1].requests } ?? 0
        if !lanes[lane].take(host), isFull { lanes[lane].closeOldest() }
        return lane
    }

    /// Learns from the answer to a request that may share its connection whether it does.
    mutating func answered(_ ticket: Ticket, isShared: Bool) {
        if isShared { shared.insert(ticket.host) } else { shared.remove(ticket.host) }
    }

    /// Returns how many connections a thread may have now, idle ones included
    /// (CURLMOPT_MAX_TOTAL_CONNECTIONS).
    func connections(of lane: Int) -> Int { lanes[lane].connections }

    /// Ends a request that is over, or that its thread will end before it runs any command posted from now
    /// on. Further calls have no effect.
    mutating func end(_ ticket: Ticket, keepsConnection: Bool) {
        guard let isStream = requests.removeValue(forKey: ticket.id) else { return }
        let (host, lane) = (ticket.host, ticket.lane)
        if isStream {
            let left = (lanes[lane].streams[host] ?? 0) - 1
            lanes[lane].streams[host] = left > 0 ? left : nil
            if left > 0 { return }
        } else {
            lanes[lane].requests -= 1
        }
        if keepsConnection, !host.isEmpty { lanes[lane].keep(host, upTo: maximumConnections) }
    }
}
