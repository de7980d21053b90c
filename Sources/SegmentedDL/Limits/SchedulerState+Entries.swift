extension SchedulerState {
    struct File {
        var priority: Int
        /// The order in which the files became active.
        var order: Int
        /// True if it is worth several connections even while other files wait.
        var isLarge = false
        /// Connections held.
        var held = 0
        /// True once it has had a connection; until then one is reserved for it.
        var hasConnected = false
        /// The connections that it must return and has not yet returned.
        var owed = 0
        /// The hosts that have refused one of its requests.
        var refusedBy: Set<String> = []
        /// True once it needs no connection, unless it requests another one.
        var needsNone = false
        /// True if it only asks about existing copies, and receives no bodies.
        var asksOnly = false
        /// The time of the request without a response, or of the end of its last connection; `nil` while it
        /// receives bytes, and before its first request.
        var idleSince: Double?

        /// The time from which it counts as idle; `nil` if it does not.
        var silentSince: Double? { needsNone ? nil : idleSince }

        /// Records the request for a connection.
        mutating func requests(now: Double) {
            needsNone = false
            if held == 0, idleSince == nil { idleSince = now }
        }

        /// Records the grant of a connection. The wait for it does not count as the host's silence.
        mutating func obtainsConnection(now: Double) {
            if held == 0, idleSince != nil { idleSince = now }
            held += 1
            hasConnected = true
        }

        /// Records the return of a connection.
        mutating func returnsConnection(now: Double) {
            held -= 1
            owed = max(0, owed - 1)
            if held == 0 { idleSince = now }
        }
    }

    struct Connection {
        var file: FileID
        /// The file's identifier, the same for each of its downloads.
        var subject: HostRefusals.Subject
        var host: String
        /// The group of its request (`HostQuotas`).
        var group = ""
        /// True if it may be a stream of a connection that others share, if the host offers that.
        var mayShare: Bool
        var patience = ConnectionPatience.unlimited
        /// The file that needs this document about files, which is granted before any file; `nil` for a
        /// request of the file itself.
        var owner: FileID?
        /// True from its grant, or a further request over it, until the host responds.
        var isUnanswered = false
        /// The time of its grant, or of the last further request over it.
        var askedAt: Double?

        var place: Place { Place(host: host, group: group) }
    }

    /// The recipient of a request, as far as the limits of hosts depend on it.
    struct Place: Hashable, Sendable {
        var host: String
        /// The group of the request (`HostQuotas`).
        var group = ""
    }

    /// Records that an active file only asks about existing copies. Without a fixed number of files, it then
    /// does not take the place of a file, because the window limits files of unknown length, and it receives
    /// no body.
    mutating func asksOnly(_ file: FileID, now: Double) -> [Action] {
        files[file]?.asksOnly = true
        return reschedule(now: now)
    }

    /// Reserves connections that are opened for later requests of the only file.
    ///
    /// - Returns: False if other files are active or waiting, if the host is known to limit connections or
    ///   requests, or if the caps do not allow as many.
    mutating func reserve(_ count: Int, at host: String) -> Bool {
        let free = limits.connections - openConnections - reserved.values.reduce(0, +)
        let room = limits.connectionsPerHost - openConnections(to: host) - (reserved[host] ?? 0)
        guard hasOneFile, !isRestricted(host), count <= min(free, room) else { return false }
        reserved[host, default: 0] += count
        return true
    }

    /// Records that a reserved connection is open, so that it can be closed for another one, or failed.
    mutating func releaseReserved(at host: String, now: Double) -> [Action] {
        let left = (reserved[host] ?? 0) - 1
        reserved[host] = left > 0 ? left : nil
        return reschedule(now: now)
    }

    /// True if a file or connection of more than the default priority is waiting.
    var prioritiesWait: Bool {
        queue.hasPriority
            || waiting.contains { id in
                connections[id].flatMap { files[$0.file]?.priority }.map { $0 > 0 } ?? false
            }
    }
}
