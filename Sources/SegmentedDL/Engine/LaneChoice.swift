/// Chooses the engine thread for a request.
///
/// Each thread keeps its connections for later requests. A request is assigned to a thread that has an idle
/// connection to its host. On another thread it would open an additional connection, and the host would have
/// more connections than its cap allows, because the cap counts requests. If a new connection would exceed
/// the total, which includes idle connections, it is assigned to a thread that can close an idle one for it.
/// If no thread can, or if the connection would exceed the host's limit, an idle connection of another thread
/// is closed first.
struct LaneChoice: Sendable {
    /// The kind of connection that a request needs.
    enum Kind: Sendable {
        /// A connection of its own, new or idle.
        case own
        /// A connection of its own, or a shared one.
        case shareable
        /// A new connection, which later requests of this kind share.
        case pipelined
        /// A new connection for this request alone.
        case single
        /// A new connection without a request, for a later request.
        case unused
    }

    private struct Lane: Sendable {
        /// The number of requests with their own connection to each host, including requests that have not
        /// been sent yet.
        private(set) var own: [String: Int] = [:]
        private(set) var requests = 0
        /// The requests to each host that share connections.
        private(set) var streams: [String: SharedConnections] = [:]
        /// Hosts with idle connections and their number, the most recent host last. The numbers are upper
        /// bounds, because a server may have closed some.
        var idle: [(host: String, count: Int)] = []

        /// An upper bound of the thread's connections, open and idle.
        var connections: Int {
            requests + streams.values.reduce(0) { $0 + $1.connections } + idle.reduce(0) { $0 + $1.count }
        }

        /// The number of the thread's connections to the host.
        func connections(to host: String) -> Int {
            (own[host] ?? 0) + (streams[host]?.connections ?? 0) + (idle.last { $0.host == host }?.count ?? 0)
        }

        /// Adds a request that shares a connection.
        ///
        /// - Parameter mayOpen: True if it may use one more connection.
        mutating func addStream(to host: String, mayOpen: Bool) {
            _ = streams[host, default: SharedConnections()].add(mayOpen: mayOpen)
        }

        /// Removes a request that shares a connection.
        ///
        /// - Returns: True if one of the connections is no longer used.
        mutating func removeStream(to host: String) -> Bool {
            let isUnused = streams[host]?.remove() ?? false
            if streams[host]?.requests == 0 { streams[host] = nil }
            return isUnused
        }

        mutating func count(_ change: Int, to host: String) {
            requests += change
            let left = (own[host] ?? 0) + change
            own[host] = left > 0 ? left : nil
        }

        /// Removes the connection that has been idle longest, which libcurl closes for a new one.
        ///
        /// - Returns: The connection's host; `nil` if there is no idle connection.
        mutating func closeOldest() -> String? {
            guard let host = idle.first?.host else { return nil }
            idle[0].count -= 1
            if idle[0].count == 0 { idle.removeFirst() }
            return host
        }

        mutating func lower(to count: Int, of host: String) { streams[host]?.lower(to: count) }

        /// Removes the idle connections to the host if requests share others.
        mutating func closeSpare(to host: String) {
            if streams[host] != nil { idle.removeAll { $0.host == host } }
        }

        func keeps(_ host: String) -> Bool { idle.contains { $0.host == host } }

        /// - Returns: False if the thread has no idle connection to the host.
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

    /// A request's number, and the thread assigned to it.
    struct Ticket: Sendable {
        /// A number that is unique among the engine's requests.
        let id: TransferID
        /// The number of the thread.
        let lane: Int
        let host: String
        /// True if the request may share a connection with others.
        let mayShare: Bool
        /// The idle connections to close before the request is sent.
        let closing: [Closing]
        /// True if a connection is opened for the request, as far as is known.
        let isNew: Bool
        /// The host whose idle connection libcurl closes for the new one; `nil` for none.
        let replaced: String?
    }

    /// An idle connection that its thread must close.
    struct Closing: Equatable, Sendable {
        let lane: Int
        let host: String
        /// True if an idle connection to any other host will do, because libcurl has closed this one instead.
        var isAny = false
    }

    /// The way in which an active request is counted.
    private enum Count {
        /// The request has its own connection.
        case own
        /// The request has a connection that is closed when it ends.
        case single
        /// The request shares a connection with others.
        case stream
    }

    private var lanes: [Lane] = []
    /// The thread of all requests that may share a connection. It is assigned no other requests: if libcurl
    /// 7.88 has HTTP/1.1 and shared connections to the same host, it treats the HTTP/1.1 connection as
    /// shareable, and mixes up the responses.
    private var sharingLane: Int?
    /// The active requests.
    private var requests: [TransferID: Count] = [:]
    /// The maximum number of connections that requests share, for each host at which they do.
    private var shared: [String: Int] = [:]
    /// The number of connections beyond its limit that each host would have if libcurl opened one for every
    /// active request. Requests that were expected to share a connection may turn out to need their own.
    private var surplus: [String: Int] = [:]
    private var nextID = 0
    /// The maximum number of connections of all threads.
    var maximumConnections: Int
    /// The maximum number of connections to a host.
    var maximumPerHost: Int

    init(maxConnections: Int, perHost: Int = .max) {
        maximumConnections = maxConnections
        maximumPerHost = perHost
    }

    /// Adds a thread. The first thread has the number 0.
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
    ///   - isSpread: True if any thread may open a connection; if false, only the first one.
    ///   - connections: The number of connections that requests to the host may share. Another one is opened
    ///     only if none must be closed for it.
    mutating func begin(
        to host: String, isSpread: Bool, kind: Kind = .own, sharing connections: Int = 1
    ) -> Ticket {
        let sharing = kind == .shareable || kind == .pipelined ? sharingLane : nil
        let mayReuse = kind == .own || kind == .shareable || kind == .pipelined && sharing == nil
        let lane = sharing ?? laneForOwnConnection(to: host, isSpread: isSpread, mayReuse: mayReuse)
        let isShareable = sharing != nil
        let count: Count = isShareable && shared[host] != nil ? .stream : kind == .single ? .single : .own
        let isOpen = count == .stream && !opensAnother(to: host, on: lane, upTo: connections)
        let isNew = !isOpen && (!mayReuse || !lanes[lane].take(host))
        let (closing, replaced) = isNew ? makeRoom(to: host, on: lane) : ([], nil)
        if count == .stream {
            shared[host] = connections
            lanes[lane].addStream(to: host, mayOpen: !isOpen)
        } else {
            lanes[lane].count(1, to: host)
        }
        if isShareable && count == .own || surplus[host] != nil { noteSurplus(of: host) }
        nextID += 1
        requests[nextID] = count
        return Ticket(
            id: nextID, lane: lane, host: host, mayShare: isShareable, closing: closing, isNew: isNew,
            replaced: replaced)
    }

    /// Returns true if one more request that shares a connection uses another one.
    private func opensAnother(to host: String, on lane: Int, upTo most: Int) -> Bool {
        let shared = lanes[lane].streams[host] ?? SharedConnections()
        let hasRoom = !isFull && connections(to: host) < maximumPerHost
        // Requests without a response may have opened connections, which others then share.
        let isBelow = shared.connections + (lanes[lane].own[host] ?? 0) < most
        return shared.opensAnother(mayOpen: isBelow && (hasRoom || lanes[lane].keeps(host)))
    }

    /// Removes the idle connections that exceed a limit if another connection is opened: several if the limit
    /// has been lowered.
    ///
    /// - Returns: The removed connections, and the host of the one that libcurl closes by itself.
    private mutating func makeRoom(to host: String, on lane: Int) -> (closing: [Closing], replaced: String?) {
        var closing: [Closing] = []
        while connections(to: host) >= maximumPerHost,
            let idle = lanes.indices.first(where: { lanes[$0].keeps(host) })
        {
            _ = lanes[idle].take(host)
            closing.append(Closing(lane: idle, host: host))
        }
        // libcurl closes one connection for each that it opens.
        let replaced = isFull ? lanes[lane].closeOldest() : nil
        while isFull, let idle = lanes.indices.first(where: { !lanes[$0].idle.isEmpty }),
            let host = lanes[idle].closeOldest()
        {
            closing.append(Closing(lane: idle, host: host, isAny: true))
        }
        return (closing, replaced)
    }

    /// The number of connections to a host on all threads.
    private func connections(to host: String) -> Int { lanes.reduce(0) { $0 + $1.connections(to: host) } }

    private mutating func noteSurplus(of host: String) {
        let count = connections(to: host) - maximumPerHost
        surplus[host] = count > 0 ? count : nil
    }

    private var isFull: Bool { lanes.reduce(0) { $0 + $1.connections } >= maximumConnections }

    private func laneForOwnConnection(to host: String, isSpread: Bool, mayReuse: Bool) -> Int {
        let lanesToUse = ownLanes
        let kept = mayReuse ? lanesToUse.filter { lanes[$0].keeps(host) } : []
        var candidates = kept.isEmpty ? isSpread ? lanesToUse : [0] : kept
        if kept.isEmpty, isFull {
            let closing = lanesToUse.filter { !lanes[$0].idle.isEmpty }
            if !closing.isEmpty { candidates = closing }
        }
        return candidates.min { lanes[$0].requests < lanes[$1].requests } ?? 0
    }

    /// Records whether a request that may share its connection does so, as shown by the response.
    ///
    /// - Parameter isFirst: True if the connection was opened for the request.
    mutating func answered(_ ticket: Ticket, isShared: Bool, isFirst: Bool) {
        guard isShared else {
            shared[ticket.host] = nil
            separate(ticket)
            noteSurplus(of: ticket.host)
            return
        }
        shared[ticket.host] = shared[ticket.host] ?? 1
        let (host, lane) = (ticket.host, ticket.lane)
        defer { if surplus[host] != nil { noteSurplus(of: host) } }
        // If a second connection is also shared, it counts as the request's own.
        guard requests[ticket.id] == .own, !isFirst || lanes[lane].streams[host] == nil else { return }
        requests[ticket.id] = .stream
        lanes[lane].count(-1, to: host)
        lanes[lane].addStream(to: host, mayOpen: false)
    }

    /// Counts the connection of a request that was expected to share one, as behind a load balancer whose
    /// servers differ.
    private mutating func separate(_ ticket: Ticket) {
        guard requests[ticket.id] == .stream else { return }
        let (host, lane) = (ticket.host, ticket.lane)
        requests[ticket.id] = .own
        lanes[lane].count(1, to: host)
        // Earlier requests may have left the shared connection open.
        if lanes[lane].removeStream(to: host) { lanes[lane].keep(host, upTo: maximumConnections) }
    }

    /// Returns the number of connections that a thread may have now, including idle ones
    /// (CURLMOPT_MAX_TOTAL_CONNECTIONS).
    ///
    /// Requests beyond a host's limit wait in libcurl for the connection of another one to end. One of each
    /// host does not wait, because it could otherwise wait for another host, or another host for it.
    func connections(of lane: Int) -> Int {
        guard lane == sharingLane, !surplus.isEmpty else { return lanes[lane].connections }
        return surplus.reduce(lanes[lane].connections) { connections, host in
            connections - max(0, min(host.value, lanes[lane].connections(to: host.key) - 1))
        }
    }

    /// Returns the maximum number of a thread's requests that share one connection, to any host
    /// (CURLMOPT_MAX_CONCURRENT_STREAMS); `nil` if no host has several shared connections.
    func requestsPerConnection(of lane: Int) -> Int? {
        let lane = lanes[lane]
        guard lane.streams.values.contains(where: { $0.connections > 1 }) else { return nil }
        // Requests without a response may share connections as well.
        let hosts = Set(lane.streams.keys).union(lane.own.keys)
        return hosts.map { (lane.streams[$0] ?? .init()).requestsOnEach(with: lane.own[$0] ?? 0) }.max()
    }

    /// Ends a request that its thread will end before it runs any command posted from now on.
    ///
    /// A connection that is closed at the end of its request counts until the thread has closed it: it is not
    /// idle, so that no later command could close it before another thread opens one.
    mutating func abandon(_ ticket: Ticket) {
        if requests[ticket.id] != .single { end(ticket, keepsConnection: true) }
    }

    /// Ends a request that its thread never receives. The idle connections that were to be closed for it
    /// count again.
    mutating func withdraw(_ ticket: Ticket) {
        guard requests[ticket.id] != nil else { return }
        end(ticket, keepsConnection: !ticket.isNew)
        if let replaced = ticket.replaced { lanes[ticket.lane].keep(replaced, upTo: maximumConnections) }
        for closing in ticket.closing { lanes[closing.lane].keep(closing.host, upTo: maximumConnections) }
    }

    /// Ends a request that has ended. Further calls have no effect.
    mutating func end(_ ticket: Ticket, keepsConnection: Bool) {
        guard let count = requests.removeValue(forKey: ticket.id) else { return }
        let (host, lane) = (ticket.host, ticket.lane)
        let isUnused: Bool
        if count == .stream {
            isUnused = lanes[lane].removeStream(to: host)
        } else {
            lanes[lane].count(-1, to: host)
            isUnused = count == .own
        }
        if keepsConnection, isUnused { lanes[lane].keep(host, upTo: maximumConnections) }
        if surplus[host] != nil { noteSurplus(of: host) }
    }

    /// Returns the number of a thread's connections to a host. While requests share some of them, its idle
    /// ones are no longer counted, because libcurl might send some of these requests over an idle one.
    ///
    /// The thread then closes idle connections until it has no more than that. libcurl may also have opened
    /// more than were expected, as when a server ends a connection that others wait to share (GOAWAY).
    ///
    /// - Parameter open: The number of the thread's connections to the host that are open.
    mutating func settle(_ host: String, on lane: Int, open: Int) -> Int {
        if let most = shared[host] { lanes[lane].lower(to: max(most, open), of: host) }
        lanes[lane].closeSpare(to: host)
        if surplus[host] != nil { noteSurplus(of: host) }
        return lanes[lane].connections(to: host)
    }
}
