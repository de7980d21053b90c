import SegmentedDLSupport

/// The right to have one connection open, until `release()`.
final class ConnectionPermit: Sendable {
    let host: String
    /// True if its request allowed a shared connection.
    let mayShare: Bool
    /// True if its request may offer a shared connection to the host.
    let offersSharing: Bool
    private let id: Int
    private let file: Int
    private let scheduler: GlobalScheduler
    /// True if a request over the connection has been counted against the quota, and not been sent.
    private let isReserved = Lock(true)
    /// Abandons the transfer that may still use the connection.
    private let abandonment = Lock<(@Sendable () -> Void)?>(nil)

    init(
        id: Int, file: Int, host: String, mayShare: Bool = false, offersSharing: Bool = false,
        scheduler: GlobalScheduler
    ) {
        self.id = id
        self.file = file
        self.host = host
        self.mayShare = mayShare
        self.offersSharing = offersSharing
        self.scheduler = scheduler
    }

    /// Sets the closure that abandons the transfer over the connection. It is called once.
    func carries(_ abandon: @escaping @Sendable () -> Void) {
        abandonment.withLock { $0 = abandon }
    }

    /// Abandons the transfer over the connection, which may have ended.
    func abandonTransfer() {
        let abandon = abandonment.withLock { abandonment in
            defer { abandonment = nil }
            return abandonment
        }
        abandon?()
    }

    /// Returns the connection to the scheduler. Further calls have no effect.
    func release() {
        // The engine closes the connection before it opens one for a request that is sent from now on. Some
        // callers still hold the response, whose release would abandon the transfer too late.
        abandonTransfer()
        scheduler.release(id, isUnused: takeReservation())
    }

    private func takeReservation() -> Bool {
        isReserved.withLock { isReserved in
            defer { isReserved = false }
            return isReserved
        }
    }

    /// Reports that a request is about to be sent. Each counts against the host's quota.
    ///
    /// - Parameters:
    ///   - group: The group of the request; that of the permit if it is the first one.
    ///   - needsProof: See `HostQuotas.pausedUntil`.
    /// - Returns: False if the quota is exhausted. Another permit is granted once it is renewed.
    func mayAsk(_ group: String, needsProof: Bool) -> Bool {
        takeReservation() || scheduler.asksAgain(id, group: group, needsProof: needsProof)
    }

    /// Counts the next request before it is known what it will ask for, so that no part of a file is assigned
    /// to a connection that must wait.
    ///
    /// - Returns: False if the quota is exhausted.
    func reserve(_ group: String, needsProof: Bool) -> Bool {
        guard mayAsk(group, needsProof: needsProof) else { return false }
        isReserved.withLock { $0 = true }
        return true
    }

    /// Reports that the host refused this connection.
    ///
    /// - Parameter retryAfter: The delay in seconds that the host requests.
    /// - Returns: True if the refusal concerns only the file: the host serves others, which need not wait.
    func refused(retryAfter: Double?) -> Bool {
        scheduler.refused(id, retryAfter: retryAfter)
    }

    /// Reports that the host answered a request as expected.
    func served() {
        scheduler.served(id)
    }

    /// Reports the request rate limit that the host announced in its response; `nil` for none.
    ///
    /// - Parameter isRefusal: True if the response refuses the request, which is reported to the user anyway.
    /// - Returns: The number of seconds for which waiting requests are delayed, once for each window.
    func told(_ quota: RequestQuota?, isRefusal: Bool) -> Double? {
        let delay = scheduler.told(quota, of: id, at: host, isRefusal: isRefusal)
        return isRefusal ? nil : delay
    }

    /// Reports that this connection could not be opened, or was lost before the host answered.
    func dropped() {
        scheduler.dropped(id)
    }

    /// True if no other connection to the host is open, or about to be.
    var isAlone: Bool { scheduler.isAlone(at: host) }

    /// Reports after the first response whether the connection is shared.
    ///
    /// - Parameter roundTrip: The round-trip time in seconds; `nil` if unknown.
    func answered(isShared: Bool, roundTrip: Double? = nil) {
        let isDistant = roundTrip.map { $0 >= SharedConnections.shortestRoundTrip } ?? false
        scheduler.answered(id, isShared: isShared, isDistant: isDistant)
    }

    /// The number of connections that requests to the host may share.
    var sharedConnections: Int { scheduler.sharedConnections(to: host) }

    /// Reports that requests to the host should no longer share connections.
    func sharesNoMore() {
        scheduler.sharesNoMore(host)
    }

    /// Reports that the host sent bytes over this connection.
    func worked() {
        scheduler.worked(id)
    }
}
