/// The limits set by a source's host and by this program.
extension SourceClient {
    /// The number of further connections that the host accepts now; less than 1 for none.
    package var room: Int { slot.room(at: target.origin.description, group: target.quotaGroup) }

    /// Waits for a permit to open a connection to a host, and reports if its exhausted quota is the reason.
    ///
    /// - Throws: `TransferFailure.other` if the client limits waits and the host requests a longer one, or
    ///   `CancellationError`.
    func connect(
        to host: String, group: String, mayShare: Bool = false
    ) async throws -> ConnectionPermit {
        if let delay = slot.quotaDelay(of: host, group: group) {
            logger.tell(.quotaExhausted(host, seconds: delay, advice: advice(at: host, after: delay)))
        }
        do {
            return try await slot.connect(
                to: host, group: group, mayShare: mayShare,
                patience: limitsWaits ? patienceSeconds.map { .pauses(upTo: $0) } ?? .unlimited : .unlimited,
                isApart: isApart)
        } catch is GlobalScheduler.EndedWait {
            throw busy(host, slot.pause(of: host, group: group))
        }
    }

    /// Returns true if the quota of the host allows the next request over a connection, which then counts.
    func mayContinue(over permit: ConnectionPermit) -> Bool {
        permit.host != target.origin.description || permit.reserve(target.quotaGroup, needsProof: true)
    }

    /// Opens connections to a server for later requests, as `TransferEngine.connect` does.
    ///
    /// - Parameter ended: Called once for each.
    /// - Returns: For each a closure that gives it up, unless it is already open. None if another file is
    ///   active or waiting, or the server is known to limit connections or requests.
    func openConnections(
        _ ended: [@Sendable () -> Void], to place: Source
    ) -> [@Sendable () -> Void] {
        let host = place.origin.description
        guard !ended.isEmpty, slot.reserve(ended.count, at: host) else { return [] }
        let request = TransferRequest(url: place.url, host: host, range: .none, counters: counters)
        return ended.map { ended in
            engine.connect(request) { [slot] in
                slot.releaseReserved(at: host)
                ended()
            }
        }
    }

    /// The minimum delay in seconds for which the setting that limits the wait is named.
    private static let longWaitSeconds = 60.0

    /// Returns the remedies for a delay that a host requests: that for the exhausted quota of the source's
    /// host, and the setting that limits a long wait; `nil` for none.
    func advice(at host: String, after seconds: Double?) -> String? {
        let ofQuota = host == source.origin.description ? access.quotaAdvice : nil
        let isUnlimited = patienceSeconds == nil && seconds ?? 0 >= Self.longWaitSeconds
        let ofWait =
            isUnlimited ? "--retry-max-time SECONDS (longestRequestedWait) limits the wait" : nil
        let advice = [ofQuota, ofWait].compactMap(\.self)
        return advice.isEmpty ? nil : advice.joined(separator: "; ")
    }

    /// True if the requests that wait may need all that the host still accepts.
    var needsWholeQuota: Bool { slot.needsWholeQuota(of: target.origin.description) }

    /// Checks that the host has not requested a longer delay than this download accepts.
    ///
    /// - Throws: `TransferFailure.other` if it has.
    package func checkPatience() throws {
        let host = target.origin.description
        let pause = slot.pause(of: host, group: target.quotaGroup)
        guard let patienceSeconds, pause.seconds > patienceSeconds else { return }
        throw busy(host, pause)
    }

    private func busy(
        _ host: String, _ pause: (seconds: Double, isOfQuota: Bool)
    ) -> TransferFailure {
        let seconds = Int(pause.seconds.rounded(.up))
        var error = DownloadError(
            .httpStatus,
            "\(source): \(host) is busy and requests a delay of \(seconds) s; try again in \(seconds) s.",
            url: source.description, isRetryable: true)
        // The status of a store that the source redirects to says nothing about the source's own quota.
        if host == source.origin.description {
            // The status with which the host would refuse the request (RFC 6585, section 4).
            error.status = pause.isOfQuota ? 429 : answered.statusOfPause(of: host)
        }
        error.retryAfter = .bounded(seconds: pause.seconds)
        return .other(error)
    }

    /// Records that a connection to a host failed, and adds the known details about that host to the failure.
    func noteUnreachable(_ failure: inout EngineError, _ place: Source, cost: Double) {
        let host = place.origin.description
        failure.isOfHostGivenUp = answered.isGivenUp(host)
        let outage = answered.noteUnreachable(host, failure, cost: cost)
        guard let outage, longestOutage > 0 else { return }
        failure.outageSeconds = outage.seconds
        if outage.isNews { logger.tell(.outage(failure, of: place, upTo: longestOutage)) }
    }

    /// The number of seconds after a redirect within which no signed URL is expected to expire.
    private static let longestWait = 0.5
    /// How often the original URL is requested again because the redirect's URL has expired in the meantime.
    private static let mostRenewals = 3
    /// How often it is requested again because the server that it redirects to does not have the file.
    private static let mostRepetitions = 1

    /// Returns true if the original URL may redirect to another URL that works.
    ///
    /// - Parameters:
    ///   - start: The original URL.
    ///   - wait: The seconds between the redirect and the request to its target.
    ///   - renewals: The number of earlier requests for another target.
    func mayRenew(
        _ response: Response, redirectedBy start: Source, after wait: Double, _ renewals: Int
    ) -> Bool {
        guard wait <= Self.longestWait else {
            return renewals < Self.mostRenewals && response.verdict.mayMeanExpiry(of: .none)
        }
        guard !isApart, renewals < Self.mostRepetitions, response.source.origin != start.origin,
            case .gone(let status, _) = response.verdict
        else { return false }
        return [404, 410].contains(status)
    }

    /// Records the failure of a download that is not retried: if no connection to a host succeeded, other
    /// downloads from that host need not retry as long.
    func gaveUp(after failure: TransferFailure) {
        guard !isApart, case .network(let error) = failure, error.isOfConnecting,
            let server = error.server
        else { return }
        answered.giveUp(server.description)
    }

    /// Records that the host may have banned this program because of too many connections.
    func wasBanned() {
        slot.wasBanned(at: target.origin.description)
    }

    /// Records whether a body arrived without pauses.
    func bodyEnded(of response: Response, hasPaused: Bool) {
        answered.bodyEnded(of: response.source.origin.description, hasPaused: hasPaused)
    }

    /// True if the bodies of the host arrive without a pause.
    var isSteady: Bool { answered.isSteady(target.origin.description) }

    /// True if the host, or the one that redirects to it, responds at once.
    var isPrompt: Bool {
        isSteady || [source, target].contains { answered.isPrompt($0.origin.description) }
    }

    /// Returns true if a rate limit of this program delays bytes, or did in the last `seconds`.
    package func isHeldBack(within seconds: Double, now: Double) -> Bool {
        limiters.contains { $0.hasHeld(within: seconds, now: now) }
    }

    /// Returns true if a rate limit of this program has delayed bytes in the last `seconds`, and is so low
    /// that a connection may receive nothing for seconds, because the `connections` take turns.
    package func isStarved(within seconds: Double, connections: Int, now: Double) -> Bool {
        let (least, isTooMuch) = Int64(connections).multipliedReportingOverflow(by: Flow.fullBytes)
        return limiters.contains {
            $0.cap(heldWithin: seconds, now: now).map { isTooMuch || $0.bytesPerSecond < least } ?? false
        }
    }

    /// The rate limit of this program that has delayed bytes in the last `seconds`; `nil` for none.
    func rateCap(heldWithin seconds: Double, now: Double) -> RateCap? {
        limiters.lazy.compactMap { $0.cap(heldWithin: seconds, now: now) }.first
    }

    /// The reason why the file gets no further connection; `nil` for none.
    var obstacle: ConnectionObstacle? { slot.obstacle(at: target.origin.description) }

    /// Runs `body` with a permit for one open connection, and releases it afterwards.
    ///
    /// - Throws: `CancellationError`, and the errors of `body`.
    func withPermit<Result>(
        _ body: (inout ConnectionPermit) async throws -> Result
    ) async throws -> Result {
        var permit = try await permit()
        do {
            let result = try await body(&permit)
            permit.release()
            return result
        } catch {
            permit.release()
            throw error
        }
    }
}
