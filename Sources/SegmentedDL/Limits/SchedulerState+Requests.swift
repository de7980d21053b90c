/// The requests sent over granted connections, for hosts that limit their number.
extension SchedulerState {
    /// Counts a further request over a granted connection. The first one was counted with the grant.
    ///
    /// - Parameters:
    ///   - group: The group of the request; `nil` for that of the last one.
    ///   - needsProof: See `HostQuotas.pausedUntil`.
    /// - Returns: False if the host's quota is exhausted.
    mutating func asksAgain(
        _ connection: ConnectionID, group: String? = nil, needsProof: Bool = false, now: Double
    ) -> Bool {
        guard let asked = connections[connection] else { return true }
        if asked.isUnanswered {
            hosts[asked.host]?.endsUnanswered(asked.group, now: now)
            connections[connection]?.isUnanswered = false
        }
        let group = group ?? asked.group
        connections[connection]?.group = group
        let mayAsk = hosts[asked.host]?.grantedAgain(group, needsProof: needsProof, now: now) ?? true
        if mayAsk {
            connections[connection]?.isUnanswered = true
            connections[connection]?.askedAt = now
        }
        return mayAsk
    }

    /// Records the request rate limit that the host announces in its response over a connection.
    mutating func told(_ quota: RequestQuota, of connection: ConnectionID, now: Double) -> [Action] {
        guard let asked = connections[connection] else { return [] }
        connections[connection]?.isUnanswered = false
        responded(asked.file)
        return told(quota, at: asked.place, sentAt: asked.askedAt, now: now)
    }

    /// Records the request rate limit that a host announces.
    ///
    /// - Parameter sentAt: The earliest time at which the request was sent; `nil` if unknown.
    mutating func told(
        _ quota: RequestQuota, at place: Place, sentAt: Double? = nil, now: Double
    ) -> [Action] {
        let quotas = hosts[place.host]?.quotas ?? HostQuotas()
        let others = connections.values.filter { $0.isUnanswered && $0.host == place.host }.map(\.group)
        hosts[place.host, default: HostLimit(pauseFactor: pauseFactor)].told(
            quota, place.group, sentAt: sentAt, now: now
        ) { name in
            others.count { $0 == place.group || quotas.names(of: $0).contains(name) }
        }
        return reschedule(now: now)
    }

    /// Records a response that announces no request rate limit.
    ///
    /// - Returns: True if the host may accept a further request, so that `tick` is needed.
    mutating func toldNothing(_ connection: ConnectionID) -> Bool {
        guard let asked = connections[connection], asked.isUnanswered else { return false }
        connections[connection]?.isUnanswered = false
        responded(asked.file)
        guard hosts[asked.host]?.hasQuota ?? false else { return false }
        hosts[asked.host]?.toldNothing(asked.group)
        return true
    }

    /// Records that the host sent bytes over a connection.
    mutating func worked(_ connection: ConnectionID) {
        guard let worked = connections[connection] else { return }
        hosts[worked.host]?.worked()
        multiplexing[worked.host]?.worked()
        responded(worked.file)
    }

    /// Records the end of a connection whose last request has no response.
    mutating func ended(at place: Place, isUnused: Bool, now: Double) {
        if isUnused {
            hosts[place.host]?.uncounted(place.group)
        } else {
            hosts[place.host]?.endsUnanswered(place.group, now: now)
        }
    }

    /// Returns true if the requests that wait may need all that a host still accepts in its window. Files in
    /// the queue may be files of that host.
    func needsWholeQuota(of host: String, now: Double) -> Bool {
        guard let left = hosts[host]?.left(now: now) else { return false }
        return left <= queue.count + waiting.count { connections[$0]?.host == host }
    }

    /// Returns the seconds for which a host's exhausted quota delays requests, once for each window; `nil` if
    /// it delays none.
    ///
    /// - Parameter isAsked: True if a request is about to wait for the host.
    mutating func quotaDelay(of place: Place, isAsked: Bool, now: Double) -> Double? {
        guard isAsked || waiting.contains(where: { isLimited(connections[$0], like: place) }) else {
            return nil
        }
        return hosts[place.host]?.takeQuotaDelay(place.group, now: now)
    }

    /// Returns true if the same quota applies to a connection.
    private func isLimited(_ connection: Connection?, like place: Place) -> Bool {
        guard let connection, connection.host == place.host, let quotas = hosts[place.host]?.quotas else {
            return false
        }
        return !Set(quotas.names(of: connection.group)).isDisjoint(with: quotas.names(of: place.group))
    }
}
