/// The evaluation of a host's refusals and successful responses.
extension SchedulerState {
    /// Records that the host refused a granted connection, which remains held until it is released.
    mutating func refused(_ connection: ConnectionID, retryAfter: Double?, now: Double) -> [Action] {
        guard let refused = connections[connection] else { return [] }
        files[refused.file]?.refusedBy.insert(refused.host)
        guard isOnly(connection) else {
            return hostRefused(refused.host, retryAfter: retryAfter, isAnswer: true, now: now)
        }
        let limit = hosts[refused.host] ?? HostLimit(pauseFactor: pauseFactor)
        let isFirst = !(refusals[refused.host]?.hasRefused(refused.subject) ?? false)
        let restored = refusals[refused.host, default: HostRefusals()].refused(
            refused.subject, over: connection, whileOpen: requests(to: refused.host) - 1, limit: limit,
            now: now)
        if let restored {
            restore(restored, at: refused.host)
        } else {
            learn(
                refused.host, retryAfter: retryAfter, isAnswer: true, isFirstOfFile: isFirst, now: now)
            refusals[refused.host]?.pauses(refused.subject, until: now + (retryAfter ?? 0))
        }
        return reschedule(now: now)
    }

    /// Returns true if the refusal of a connection concerned only its file, and the host answers others.
    func isOfFile(_ connection: ConnectionID) -> Bool {
        guard let refused = connections[connection] else { return false }
        return refusals[refused.host]?.isOfFile(refused.subject) ?? false && isOnly(connection)
    }

    /// Records that a granted connection could not be opened, or was lost before the host responded. If
    /// others are open, this is treated as a refusal; otherwise it says nothing about a limit.
    mutating func dropped(_ connection: ConnectionID, now: Double) -> [Action] {
        guard let dropped = connections[connection] else { return [] }
        let host = dropped.host
        if dropped.mayShare, mayShare(host) {
            // It ends all streams, regardless of their number.
            var known = multiplexing[host] ?? Multiplexing()
            known.failed(connection, newest: newestConnection, sharing: sharedConnections(to: host))
            set(known, for: host)
            return reschedule(now: now)
        }
        guard openConnections(to: host) > 1 else {
            hosts[host]?.lost(now: now)
            return []
        }
        files[dropped.file]?.refusedBy.insert(host)
        return hostRefused(host, retryAfter: nil, isAnswer: false, now: now)
    }

    /// Records that a host refuses every request of a file after several connections were open. While it
    /// serves other files, this is not a ban: the file's signed URL may have expired.
    mutating func wasBanned(at host: String, by file: FileID, now: Double) -> [Action] {
        let servesOthers = connections.contains { id, other in
            other.host == host && other.file != file && !other.isUnanswered && !waiting.contains(id)
        }
        guard !servesOthers else { return [] }
        hosts[host, default: HostLimit(pauseFactor: pauseFactor)].banned(now: now)
        return reschedule(now: now)
    }

    /// Returns true if the host is known to limit connections or requests.
    func isRestricted(_ host: String) -> Bool { hosts[host] != nil || refusals[host] != nil }

    /// Ends the requests for connections that must not wait as long as their hosts request.
    mutating func endImpatient(now: Double) -> [Action] {
        guard !waiting.isEmpty, !hosts.isEmpty || !refusals.isEmpty else { return [] }
        let ended = waiting.filter { id in connections[id].map { isTooLate($0, now: now) } ?? false }
        for id in ended {
            waiting.remove(id)
            connections[id] = nil
        }
        return ended.sorted().map { .end($0) }
    }

    private func isTooLate(_ connection: Connection, now: Double) -> Bool {
        switch connection.patience {
        case .unlimited: false
        case .unlessRestricted: isRestricted(connection.host)
        case .pauses(let longest):
            hosts[connection.host].map { $0.statedUntil(of: connection.group) - now > longest } ?? false
        }
    }

    /// Records that the host answered a request as expected.
    mutating func served(_ connection: ConnectionID, now: Double) -> [Action] {
        guard let served = connections[connection],
            let restored = refusals[served.host]?.served(served.subject, over: connection)
        else { return [] }
        restore(restored, at: served.host)
        return reschedule(now: now)
    }

    /// Restores an earlier limit of a host, but not the earlier quota: requests have been sent since.
    private mutating func restore(_ earlier: HostLimit, at host: String) {
        var limit = earlier
        limit.keepQuota(of: hosts[host])
        hosts[host] = limit
    }

    private mutating func hostRefused(
        _ host: String, retryAfter: Double?, isAnswer: Bool, now: Double
    ) -> [Action] {
        refusals[host]?.hostRefused()
        learn(host, retryAfter: retryAfter, isAnswer: isAnswer, now: now)
        return reschedule(now: now)
    }

    private mutating func learn(
        _ host: String, retryAfter: Double?, isAnswer: Bool, isFirstOfFile: Bool = false, now: Double
    ) {
        hosts[host, default: HostLimit(pauseFactor: pauseFactor)].refused(
            whileOpen: requests(to: host) - 1, retryAfter: retryAfter, isAnswer: isAnswer,
            isFirstOfFile: isFirstOfFile, now: now)
    }

    /// Returns true if its file has no other connection to the host.
    private func isOnly(_ connection: ConnectionID) -> Bool {
        guard let own = connections[connection] else { return false }
        return !connections.contains { id, other in
            id != connection && other.file == own.file && other.host == own.host && !waiting.contains(id)
        }
    }

    /// Returns true if the host pauses requests of the connection's group, or if the refusal of its file
    /// stated a delay that has not passed, although the host may accept others.
    func isPaused(_ connection: Connection, now: Double) -> Bool {
        now < pausedUntil(connection.place) ?? now
            || refusals[connection.host]?.isPaused(connection.subject, now: now) ?? false
    }

    /// The time from which a connection beyond a host's limit may be granted; `nil` for none, or if it has
    /// passed.
    func nextTrial(at place: Place, now: Double) -> Double? {
        refusals[place.host]?.nextTrial(now: now).map { max($0, pausedUntil(place) ?? 0) }
    }

    /// Returns true if a connection beyond the host's limit may test that limit.
    func mayTry(_ connection: Connection, now: Double) -> Bool {
        guard let pauseEnd = pausedUntil(connection.place), now >= pauseEnd,
            openConnections(to: connection.host) < limits.connectionsPerHost
        else { return false }
        return refusals[connection.host]?.mayTry(connection.subject, now: now) ?? false
    }
}
