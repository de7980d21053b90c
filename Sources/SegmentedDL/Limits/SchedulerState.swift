/// The decisions about what may run now: which files are active, and which of their connections may be open.
///
/// A plain value without clock, tasks or locks. Each mutating function returns the actions to perform now.
///
/// Its scans are linear: a grant inspects each waiting connection, and a reclaim, for each donor, each
/// connection. This is fast enough for a thousand connections; tens of thousands would require an index by
/// file and by host. While no connection waits, no decision inspects all active files; files that wait in
/// the queue cost nothing here.
struct SchedulerState: Sendable {
    typealias FileID = Int
    typealias ConnectionID = Int

    enum Action: Equatable, Sendable {
        /// The file may begin.
        case start(FileID)
        /// The connection may be opened.
        case grant(ConnectionID)
        /// The request for the connection has ended, because it does not wait as long as its host requests.
        case end(ConnectionID)
        /// The file must soon return one of its connections, because another file has none, or a cap was
        /// lowered.
        case reclaim(FileID)
    }

    private(set) var limits: Limits
    let pauseFactor: Double
    private(set) var queue = FileQueue()
    var files = ActiveFiles()
    var connections: [ConnectionID: Connection] = [:]
    /// Requested connections that have not been granted. Usually empty, which makes decisions cheap.
    var waiting: Set<ConnectionID> = []
    var hosts: [String: HostLimit] = [:]
    /// The interpretation of refusals, for each host that has refused requests.
    var refusals: [String: HostRefusals] = [:]
    private var window = FileWindow()
    private var large = LargeFiles()
    var multiplexing: [String: Multiplexing] = [:]
    /// The active requests over each host's shared connections.
    private var streams: [String: SharedConnections] = [:]
    private var nextOrder = 0
    /// The highest connection number so far.
    private(set) var newestConnection = Int.min
    /// The connections to each host that are being opened for later requests, without a permit.
    var reserved: [String: Int] = [:]
    private(set) var openConnections = 0
    private(set) var openPerHost: [String: Int] = [:]

    init(limits: Limits, pauseFactor: Double = 1) {
        self.limits = limits
        self.pauseFactor = pauseFactor
    }

    // MARK: Observing

    var activeFiles: Int { files.count }

    /// True if one file is active, and none is waiting.
    var hasOneFile: Bool { files.count == 1 && queue.isEmpty }

    /// The number of files that may be active now.
    var allowedFiles: Int { limits.activeFiles.fixed ?? min(window.size, limits.mostActiveFiles) }

    /// The number of files and connections that wait for their turn.
    var waitingCount: Int { queue.count + waiting.count }

    func openConnections(to host: String) -> Int { openPerHost[host] ?? 0 }

    func pausedUntil(_ place: Place) -> Double? { hosts[place.host]?.pausedUntil(of: place.group) }

    /// Seconds for which a host has requested or caused a pause, and whether the reason is a quota that it
    /// has stated to be exhausted.
    func requestedPause(of place: Place, now: Double) -> (seconds: Double, isOfQuota: Bool) {
        guard let limit = hosts[place.host] else { return (0, false) }
        let until = limit.requestedPauseUntil(of: place.group)
        return (max(0, until - now), until > now && until == limit.quotas.statedUntil(of: place.group))
    }

    /// The number of further connections that a host accepts now; less than 1 for none.
    func room(at place: Place, now: Double) -> Int {
        allowance(of: place, upTo: limits.connectionsPerHost, now: now) - openConnections(to: place.host)
    }

    /// Returns true if a request to the host may offer to share its connection.
    func mayShare(_ host: String) -> Bool { multiplexing[host]?.mayOffer ?? true }

    /// The number of active requests.
    func requests(to host: String) -> Int {
        let shared = streams[host] ?? SharedConnections()
        return openConnections(to: host) - shared.connections + shared.requests
    }

    // MARK: Files

    /// Puts a file into the queue. Higher priority goes first.
    mutating func submit(_ file: FileID, priority: Int, now: Double) -> [Action] {
        queue.append(file, priority: priority)
        return reschedule(now: now)
    }

    /// Removes a file that has ended or was abandoned, waiting or active. Its connections must have been
    /// released.
    mutating func withdraw(_ file: FileID, now: Double) -> [Action] {
        files[file] = nil
        queue.remove(file)
        large.remove(file)
        return reschedule(now: now)
    }

    /// Records the size class of a file after its first response.
    ///
    /// - Parameter isShared: True if the response arrived over a connection that other requests share.
    /// - Returns: False if the file must wait for its start again.
    mutating func found(
        _ file: FileID, isLarge: Bool, isShared: Bool, now: Double
    ) -> (begins: Bool, actions: [Action]) {
        window.found(isLarge: isLarge, isShared: isShared, upTo: limits.mostActiveFiles)
        let mayWait = isShared && limits.activeFiles == .automatic
        files[file]?.isLarge = isLarge
        responded(file)
        let begins = !isLarge || large.begins(file, mayWait: mayWait, upTo: FileWindow.smallest)
        return (begins, reschedule(now: now))
    }

    /// Stops reserving a connection for a file that needs none, or no longer needs one.
    mutating func needsNoConnection(_ file: FileID, now: Double) -> [Action] {
        files[file]?.hasConnected = true
        files[file]?.needsNone = true
        return reschedule(now: now)
    }

    // MARK: Connections

    /// Requests a connection for an active file, under a number that is higher than all previous ones.
    ///
    /// - Parameters:
    ///   - subject: The file's identifier, the same for each of its downloads; `nil` for a new one.
    ///   - mayShare: True if a stream of a shared connection is acceptable.
    ///   - patience: The delays for which it waits.
    ///   - isApart: True for a document about files, which depends on no active file. It is granted before
    ///     any file, because it is short, and useless once they are complete.
    mutating func request(
        _ connection: ConnectionID, file: FileID, subject: HostRefusals.Subject? = nil, host: String,
        group: String = "", mayShare: Bool = false, patience: ConnectionPatience = .unlimited,
        isApart: Bool = false, now: Double
    ) -> [Action] {
        assert(connections[connection] == nil, "Connection \(connection) is requested twice.")
        newestConnection = max(newestConnection, connection)
        files[file]?.requests(now: now)
        // The owner of a document may end first.
        connections[connection] = Connection(
            file: isApart ? -connection : file, subject: subject ?? file, host: host, group: group,
            mayShare: mayShare, patience: patience, owner: isApart ? file : nil)
        waiting.insert(connection)
        return reschedule(now: now)
    }

    /// Returns a connection, or withdraws the request for one. Further calls have no effect.
    ///
    /// - Parameter isUnused: True if no request was sent over it.
    mutating func release(_ connection: ConnectionID, isUnused: Bool = false, now: Double) -> [Action] {
        assert(
            connection <= newestConnection, "Connection \(connection) is released, but was never requested.")
        guard let released = connections.removeValue(forKey: connection) else { return [] }
        refusals[released.host]?.ended(connection)
        if waiting.remove(connection) == nil { close(released, now: now) }
        if released.isUnanswered { ended(at: released.place, isUnused: isUnused, now: now) }
        return reschedule(now: now)
    }

    /// Records after the first response whether a connection that may be shared is shared.
    ///
    /// - Parameter isDistant: True if round trips to the host are long.
    mutating func answered(
        _ connection: ConnectionID, isShared: Bool, isDistant: Bool = false, now: Double
    ) -> [Action] {
        guard let host = connections[connection]?.host else { return [] }
        return answered(host: host, isShared: isShared, isDistant: isDistant, now: now)
    }

    /// Records whether a host's connections are shared.
    mutating func answered(
        host: String, isShared: Bool, isDistant: Bool = false, now: Double
    ) -> [Action] {
        var known = multiplexing[host] ?? Multiplexing()
        known.answered(isShared: isShared, isDistant: isDistant)
        guard known != multiplexing[host] else { return [] }
        set(known, for: host)
        return reschedule(now: now)
    }

    /// Counts the requests to a host again, as streams or as connections.
    mutating func set(_ known: Multiplexing, for host: String) {
        // Open connections remain open, whatever the caps allow now.
        guard known.isShared != multiplexing[host]?.isShared else { return multiplexing[host] = known }
        let granted = connections.filter { $0.value.host == host && !waiting.contains($0.key) }.values
        for connection in granted { uncount(connection) }
        multiplexing[host] = known
        for connection in granted { count(connection) }
    }

    private func isStream(_ connection: Connection) -> Bool {
        connection.mayShare && multiplexing[connection.host]?.isShared == true
    }

    private mutating func count(_ connection: Connection) {
        if isStream(connection) {
            let mayOpen = mayShareAnother(to: connection.host)
            guard streams[connection.host, default: SharedConnections()].add(mayOpen: mayOpen) else { return }
        }
        openConnections += 1
        openPerHost[connection.host, default: 0] += 1
    }

    /// Returns true if requests to a host may share one more connection. Half of all connections, and half of
    /// the host's, remain for files that need their own.
    private func mayShareAnother(to host: String) -> Bool {
        openConnections < limits.connections / 2 && openConnections(to: host) < limits.connectionsPerHost
            && sharedConnections(to: host) < mostShared(by: host)
    }

    /// The maximum number of connections that requests to a host may share.
    private func mostShared(by host: String) -> Int {
        guard multiplexing[host]?.mayShareSeveral == true else { return 1 }
        return max(1, min(limits.connectionsPerHost, limits.connections) / 2)
    }

    /// The number of connections that requests to a host share.
    func sharedConnections(to host: String) -> Int { max(1, streams[host]?.connections ?? 1) }

    /// The number of connections that a further request to a host may share.
    func offeredConnections(to host: String) -> Int {
        min(sharedConnections(to: host), mostShared(by: host))
    }

    private mutating func uncount(_ connection: Connection) {
        if isStream(connection) {
            guard streams[connection.host]?.remove() ?? false else { return }
            if streams[connection.host]?.requests == 0 { streams[connection.host] = nil }
        }
        openConnections -= 1
        let left = openConnections(to: connection.host) - 1
        openPerHost[connection.host] = left > 0 ? left : nil
    }

    private mutating func close(_ connection: Connection, now: Double) {
        uncount(connection)
        files[connection.file]?.returnsConnection(now: now)
    }

    // MARK: Settings and time

    /// Changes the caps. Connections beyond a smaller cap are reclaimed.
    mutating func set(_ limits: Limits, now: Double) -> [Action] {
        self.limits = limits
        return reschedule(now: now)
    }

    /// Repeats the decisions after time has elapsed.
    mutating func tick(now: Double) -> [Action] {
        reschedule(now: now)
    }

    /// The time at which `tick` is needed even if nothing else happens; `nil` for never.
    func nextChange(now: Double) -> Double? {
        let stall = nextStall(now: now)
        guard !waiting.isEmpty else { return stall }
        let waiting = waiting.compactMap { connections[$0] }
        let places = Set(waiting.map(\.place))
        let changes = places.flatMap {
            [hosts[$0.host]?.nextChange(of: $0.group, now: now), nextTrial(at: $0, now: now)]
        }
        let pauseEnds = waiting.map { refusals[$0.host]?.nextRequest(for: $0.subject, now: now) }
        return (changes + pauseEnds + [stall]).compactMap { $0 }.min()
    }

    // MARK: Deciding

    mutating func reschedule(now: Double) -> [Action] {
        files.elapse(to: now)
        for host in hosts.keys {
            let most = streams[host] == nil ? limits.connectionsPerHost : limits.requestsPerHost
            hosts[host]?.recover(upTo: most, now: now)
        }
        var actions = startFiles(now: now)
        actions += endImpatient(now: now)
        actions += grantConnections(now: now)
        actions += reclaimConnections(now: now)
        actions += shedConnections()
        return actions
    }

    /// True if waiting files need the connections that active files have in excess of one.
    private var othersFollow: Bool {
        limits.activeFiles == .automatic
            && (!queue.isEmpty || files.unconnected > 0)
    }

    private mutating func startFiles(now: Double) -> [Action] {
        var actions: [Action] = []
        while let file = large.takeNext(
            upTo: FileWindow.smallest,
            by: { [files] in (~(files[$0]?.priority ?? 0), files[$0]?.order ?? 0) })
        {
            actions.append(.start(file))
        }
        var startable = startableFiles(now: now)
        while startable > 0, let next = queue.takeNext(limits.queueOrder) {
            startable -= 1
            nextOrder += 1
            files[next.file] = File(priority: next.priority, order: nextOrder)
            actions.append(.start(next.file))
        }
        return actions
    }

    private mutating func grantConnections(now: Double) -> [Action] {
        var actions: [Action] = []
        while let id = bestWaiting(now: now), let connection = connections[id] {
            let granted = waiting.remove(id)
            assert(granted != nil, "Connection \(id) is granted twice.")
            if needsConnection(connection), room(at: connection.place, now: now) < 1 {
                refusals[connection.host]?.tries(id)
            }
            count(connection)
            connections[id]?.isUnanswered = true
            connections[id]?.askedAt = now
            hosts[connection.host]?.granted(connection.group, now: now)
            files[connection.file]?.obtainsConnection(now: now)
            actions.append(.grant(id))
        }
        return actions
    }

    /// The waiting connection to grant next, if any may be opened.
    private func bestWaiting(now: Double) -> ConnectionID? {
        guard !waiting.isEmpty else { return nil }
        let free = limits.connections - openConnections - reserved.values.reduce(0, +)
        if free <= 0, streams.isEmpty { return nil }
        let (unconnected, othersFollow) = (unconnected(now: now), othersFollow)
        var best: (id: ConnectionID, rank: (Int, Int, Int, Int))?
        for id in waiting {
            guard let connection = connections[id], !isPaused(connection, now: now) else { continue }
            let file = files[connection.file]
            guard file != nil || connection.owner != nil else { continue }
            if needsConnection(connection) {
                let room = room(at: connection.place, now: now) - (reserved[connection.host] ?? 0)
                guard free > 0, room > 0 || mayTry(connection, now: now) else { continue }
                if let file {
                    if file.held > 0 || file.hasConnected, free <= unconnected { continue }
                    if file.held > 0, !file.isLarge, othersFollow { continue }
                }
            }
            guard mayAsk(connection, now: now) else { continue }
            // Do not negate the priority: the minimum integer cannot be negated.
            let rank = file.map { ($0.held, ~$0.priority, $0.order, id) } ?? (-1, 0, 0, id)
            if best.map({ rank < $0.rank }) ?? true { best = (id, rank) }
        }
        return best?.id
    }

    /// Returns false for a stream of a connection that is open.
    func needsConnection(_ connection: Connection) -> Bool {
        !isStream(connection) || streams[connection.host] == nil
    }

    /// Returns true if the host accepts one more request of this kind now.
    private func mayAsk(_ connection: Connection, now: Double) -> Bool {
        guard isStream(connection) else { return true }
        // After a cap was lowered, the shared connections become fewer only as their requests end.
        guard openConnections <= limits.connections,
            openConnections(to: connection.host) <= limits.connectionsPerHost
        else { return false }
        let most = allowance(of: connection.place, upTo: limits.requestsPerHost, now: now)
        return requests(to: connection.host) < most
    }

    /// The number of active files without a connection: a file that has just become active soon requests
    /// one, and its first takes precedence over the second of others. A file whose hosts all accept no
    /// connection now does not count, because it could not use one.
    private func unconnected(now: Double) -> Int {
        var stuck: Set<FileID> = []
        for connection in waiting.lazy.compactMap({ connections[$0] })
        where files[connection.file]?.hasConnected == false && !mayConnect(connection, now: now) {
            stuck.insert(connection.file)
        }
        if !stuck.isEmpty {
            // If a file has several sources, one host that accepts a connection is enough.
            for connection in waiting.lazy.compactMap({ connections[$0] })
            where mayConnect(connection, now: now) {
                stuck.remove(connection.file)
            }
        }
        return files.unconnected - stuck.count
    }

    private func mayConnect(_ connection: Connection, now: Double) -> Bool {
        room(at: connection.place, now: now) > 0 && !isPaused(connection, now: now)
    }

    private func allowance(of place: Place, upTo cap: Int, now: Double) -> Int {
        hosts[place.host]?.allowance(of: place.group, upTo: cap, now: now) ?? cap
    }
}
