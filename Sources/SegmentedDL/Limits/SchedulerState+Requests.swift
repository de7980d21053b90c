/// The requests sent over granted connections, for hosts that limit their number.
extension SchedulerState {
    /// Counts a further request over a granted connection. The first one was counted with the grant.
    ///
    /// - Returns: False if the host's quota is exhausted.
    mutating func asksAgain(_ connection: ConnectionID, now: Double) -> Bool {
        guard let host = connections[connection]?.host else { return true }
        return hosts[host]?.grantedAgain(now: now) ?? true
    }

    /// Returns the seconds for which a host's exhausted quota delays requests, once for each window; `nil` if
    /// it delays none.
    ///
    /// - Parameter isAsked: True if a request is about to wait for the host.
    mutating func quotaDelay(of host: String, isAsked: Bool, now: Double) -> Double? {
        guard isAsked || waiting.contains(where: { connections[$0]?.host == host }) else { return nil }
        return hosts[host]?.takeQuotaDelay(now: now)
    }
}
