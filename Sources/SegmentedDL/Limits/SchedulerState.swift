/// Who may run now: which files are active, and which of their connections may be open.
///
/// A plain value without clock, tasks or locks. Each mutating function returns what has to be done now.
struct SchedulerState: Sendable {
    typealias FileID = Int
    typealias ConnectionID = Int

    enum Action: Equatable, Sendable {
        /// The file may begin.
        case start(FileID)
        /// The connection may be opened.
        case grant(ConnectionID)
        /// The file must give one of its connections back soon: another one has none, or a cap is smaller now.
        case reclaim(FileID)
    }

    private struct File {
        var priority: Int
        /// Which became active first.
        var order: Int
        /// Connections held.
        var held = 0
        /// Whether it ever had a connection; until then one is kept free for it.
        var hasBegun = false
        /// Reclaims that it has been asked for and has not yet answered.
        var owed = 0
    }

    private struct Connection {
        var file: FileID
        var host: String
    }

    private(set) var limits: Limits
    private var queue = FileQueue()
    /// The active files.
    private var files: [FileID: File] = [:]
    private var connections: [ConnectionID: Connection] = [:]
    /// Connections that are asked for and not granted. Mostly there are none, and then there is little to decide.
    private var waiting: Set<ConnectionID> = []
    private var hosts: [String: HostLimit] = [:]
    private var nextOrder = 0
    private(set) var openConnections = 0
    private var openPerHost: [String: Int] = [:]

    init(limits: Limits) {
        self.limits = limits
    }

    // MARK: Observing

    var activeFiles: Int { files.count }
    func openConnections(to host: String) -> Int { openPerHost[host] ?? 0 }

    func pausedUntil(_ host: String) -> Double? { hosts[host]?.pausedUntil }

    /// How many more connections a host takes now; less than 1 if none.
    func room(at host: String, now: Double) -> Int {
        allowance(of: host, now: now) - openConnections(to: host)
    }

    // MARK: Files

    /// Puts a file into the queue. Higher priority goes first.
    mutating func submit(_ file: FileID, priority: Int, now: Double) -> [Action] {
        queue.append(file, priority: priority)
        return settle(now: now)
    }

    /// The file is done or given up, waiting or active. Its connections must have been released.
    mutating func withdraw(_ file: FileID, now: Double) -> [Action] {
        files[file] = nil
        queue.remove(file)
        return settle(now: now)
    }

    /// The file needs no connection, or none any more: none is kept free for it.
    mutating func needsNoConnection(_ file: FileID, now: Double) -> [Action] {
        files[file]?.hasBegun = true
        return settle(now: now)
    }

    // MARK: Connections

    /// Asks for a connection of an active file.
    mutating func request(_ connection: ConnectionID, file: FileID, host: String, now: Double) -> [Action] {
        connections[connection] = Connection(file: file, host: host)
        waiting.insert(connection)
        return settle(now: now)
    }

    /// Gives a connection back, or stops waiting for one.
    mutating func release(_ connection: ConnectionID, now: Double) -> [Action] {
        guard let gone = connections.removeValue(forKey: connection) else { return [] }
        if waiting.remove(connection) == nil { close(gone) }
        return settle(now: now)
    }

    /// The host refused a connection that was granted: it stays held until it is released.
    mutating func refused(_ connection: ConnectionID, retryAfter: Double?, now: Double) -> [Action] {
        guard let host = connections[connection]?.host else { return [] }
        let others = openConnections(to: host) - 1
        hosts[host, default: HostLimit()].refused(whileOpen: others, retryAfter: retryAfter, now: now)
        return settle(now: now)
    }

    /// A connection that was granted could not be opened, or was lost before it answered. With others open
    /// that is a host's way to say that it wants no more; alone it says nothing of a limit.
    mutating func dropped(_ connection: ConnectionID, now: Double) -> [Action] {
        guard let host = connections[connection]?.host, openConnections(to: host) > 1 else { return [] }
        return refused(connection, retryAfter: nil, now: now)
    }

    /// The host sent bytes over a connection.
    mutating func worked(_ connection: ConnectionID) {
        guard let host = connections[connection]?.host else { return }
        hosts[host]?.worked()
    }

    private mutating func close(_ connection: Connection) {
        openConnections -= 1
        let left = openConnections(to: connection.host) - 1
        openPerHost[connection.host] = left > 0 ? left : nil
        guard var holder = files[connection.file] else { return }
        holder.held -= 1
        holder.owed = max(0, holder.owed - 1)
        files[connection.file] = holder
    }

    // MARK: Settings and time

    /// Changes the caps. What is open beyond a smaller cap is asked back.
    mutating func set(_ limits: Limits, now: Double) -> [Action] {
        self.limits = limits
        return settle(now: now)
    }

    /// Time has passed.
    mutating func tick(now: Double) -> [Action] {
        settle(now: now)
    }

    /// When `tick` is needed next although nothing else happens.
    func nextChange(now: Double) -> Double? {
        guard !waiting.isEmpty else { return nil }
        let hosts = Set(waiting.compactMap { connections[$0]?.host })
        return hosts.compactMap { self.hosts[$0]?.nextChange(now: now) }.min()
    }

    // MARK: Deciding

    private mutating func settle(now: Double) -> [Action] {
        for host in hosts.keys { hosts[host]?.recover(upTo: limits.connectionsPerHost, now: now) }
        var actions = startFiles()
        actions += grantConnections(now: now)
        actions += reclaimConnections(now: now)
        actions += shedConnections()
        return actions
    }

    private mutating func startFiles() -> [Action] {
        var actions: [Action] = []
        while files.count < limits.activeFiles, let next = queue.takeNext(limits.queueOrder) {
            nextOrder += 1
            files[next.file] = File(priority: next.priority, order: nextOrder)
            actions.append(.start(next.file))
        }
        return actions
    }

    private mutating func grantConnections(now: Double) -> [Action] {
        var actions: [Action] = []
        while let id = bestWaiting(now: now), let connection = connections[id] {
            waiting.remove(id)
            openConnections += 1
            openPerHost[connection.host, default: 0] += 1
            files[connection.file]?.held += 1
            files[connection.file]?.hasBegun = true
            actions.append(.grant(id))
        }
        return actions
    }

    /// The waiting connection to grant next, if any may be opened.
    private func bestWaiting(now: Double) -> ConnectionID? {
        let free = limits.connections - openConnections
        guard free > 0, !waiting.isEmpty else { return nil }
        let reserved = reserved(now: now)
        var best: (id: ConnectionID, rank: (Int, Int, Int, Int))?
        for id in waiting {
            guard let connection = connections[id], let file = files[connection.file] else { continue }
            if file.held > 0 || file.hasBegun, free <= reserved { continue }
            guard room(at: connection.host, now: now) > 0 else { continue }
            // As the negative one, which the least number does not have.
            let rank = (file.held, ~file.priority, file.order, id)
            if best.map({ rank < $0.rank }) ?? true { best = (id, rank) }
        }
        return best?.id
    }

    /// How many connections are kept free: a file that has just become active will ask in a moment, and its first goes before
    /// others' second. Who has asked, and whose host takes none now, would keep one free for nothing.
    private func reserved(now: Double) -> Int {
        var stuck: Set<FileID> = []
        for connection in waiting.lazy.compactMap({ connections[$0] })
        where files[connection.file]?.hasBegun == false && room(at: connection.host, now: now) < 1 {
            stuck.insert(connection.file)
        }
        if !stuck.isEmpty {
            // From several sources it is enough that one of them takes one.
            for connection in waiting.lazy.compactMap({ connections[$0] })
            where room(at: connection.host, now: now) > 0 {
                stuck.remove(connection.file)
            }
        }
        return files.values.count { !$0.hasBegun } - stuck.count
    }

    private func allowance(of host: String, now: Double) -> Int {
        hosts[host]?.allowance(upTo: limits.connectionsPerHost, now: now) ?? limits.connectionsPerHost
    }

    /// Asks files with several connections to give one to each file that has none.
    private mutating func reclaimConnections(now: Double) -> [Action] {
        guard !waiting.isEmpty else { return [] }
        var actions: [Action] = []
        var promised = files.values.reduce(0) { $0 + $1.owed }
        let needy = waiting.compactMap { connections[$0] }.filter { files[$0.file]?.held == 0 }
        for connection in needy.sorted(by: { $0.file < $1.file }) {
            if let paused = hosts[connection.host]?.pausedUntil, now < paused { continue }
            if promised > 0 {
                promised -= 1
                continue
            }
            let isHostFull = openConnections(to: connection.host) >= allowance(of: connection.host, now: now)
            let donors = files.filter { id, file in
                file.held - file.owed > 1 && (!isHostFull || holds(id, host: connection.host))
            }
            guard let donor = donors.max(by: { spare($0) < spare($1) }) else { continue }
            files[donor.key]?.owed += 1
            actions.append(.reclaim(donor.key))
        }
        return actions
    }

    /// Asks for the connections that a smaller cap no longer allows.
    private mutating func shedConnections() -> [Action] {
        let isPerHost = openPerHost.values.contains { $0 > limits.connectionsPerHost }
        guard isPerHost || openConnections > limits.connections else { return [] }
        var actions: [Action] = []
        while let donor = files.filter({ isOverCap($0.key) }).max(by: { spare($0) < spare($1) }) {
            files[donor.key]?.owed += 1
            actions.append(.reclaim(donor.key))
        }
        return actions
    }

    /// Whether the file holds a connection too many, beyond those that have been asked back.
    private func isOverCap(_ id: FileID) -> Bool {
        guard let file = files[id], file.held > file.owed else { return false }
        let owed = files.values.reduce(0) { $0 + $1.owed }
        if openConnections - owed > limits.connections { return true }
        return openPerHost.contains { host, open in
            guard open > limits.connectionsPerHost, holds(id, host: host) else { return false }
            let owedHere = files.reduce(0) { $0 + (holds($1.key, host: host) ? $1.value.owed : 0) }
            return open - owedHere > limits.connectionsPerHost
        }
    }

    /// Orders files by how many connections they could give, older ones first.
    private func spare(_ file: (key: FileID, value: File)) -> (Int, Int) {
        (file.value.held - file.value.owed, -file.key)
    }

    private func holds(_ file: FileID, host: String) -> Bool {
        connections.contains { $1.file == file && $1.host == host && !waiting.contains($0) }
    }
}
