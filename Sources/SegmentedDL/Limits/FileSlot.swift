import SegmentedDLSupport

/// A file's place in the queue and, once it runs, its right to request connections.
package final class FileSlot: Sendable {
    private let id: Int
    private let subject: Int
    private let scheduler: GlobalScheduler
    private let isReleased = OnceFlag()

    init(id: Int, subject: Int, scheduler: GlobalScheduler) {
        self.id = id
        self.subject = subject
        self.scheduler = scheduler
    }

    deinit {
        release()
    }

    /// Returns when the file may begin.
    ///
    /// - Throws: `CancellationError`.
    package func waitForStart() async throws {
        try await scheduler.waitForStart(id)
    }

    /// Waits until a connection to `host` may be opened.
    ///
    /// - Parameters:
    ///   - group: The group of the request (`HostQuotas`).
    ///   - mayShare: True if a stream of a shared connection is acceptable.
    ///   - patience: The delays for which it waits.
    ///   - isApart: True for a document about files, which needs no active file.
    /// - Throws: `CancellationError`, or `GlobalScheduler.EndedWait`.
    func connect(
        to host: String, group: String = "", mayShare: Bool = false,
        patience: ConnectionPatience = .unlimited, isApart: Bool = false
    ) async throws -> ConnectionPermit {
        try await scheduler.connect(
            id, subject: subject, host: host, group: group, mayShare: mayShare, patience: patience,
            isApart: isApart)
    }

    /// Waits until a connection to `host` may be opened.
    ///
    /// - Parameter mayShare: True if a stream of a shared connection is acceptable.
    /// - Returns: `nil` if the host limits connections or requests, or if that becomes known during the wait.
    /// - Throws: `CancellationError`.
    func connectUnlessRestricted(to host: String, mayShare: Bool) async throws -> ConnectionPermit? {
        do {
            return try await connect(to: host, mayShare: mayShare, patience: .unlessRestricted)
        } catch is GlobalScheduler.EndedWait {
            return nil
        }
    }

    /// Seconds for which `host` has requested a pause of a group's requests, 0 if none, and whether the
    /// reason is a quota that it has stated to be exhausted.
    package func pause(of host: String, group: String = "") -> (seconds: Double, isOfQuota: Bool) {
        scheduler.pause(of: .init(host: host, group: group))
    }

    /// Returns the seconds for which the exhausted quota of `host` delays a request, once for each window;
    /// `nil` if it does not.
    func quotaDelay(of host: String, group: String) -> Double? {
        scheduler.quotaDelay(of: .init(host: host, group: group))
    }

    /// Returns true if the requests that wait may need all that `host` still accepts in its window.
    func needsWholeQuota(of host: String) -> Bool { scheduler.needsWholeQuota(of: host) }

    /// The number of further connections that `host` accepts now; less than 1 for none.
    package func room(at host: String, group: String = "") -> Int {
        scheduler.room(at: .init(host: host, group: group))
    }

    /// Reserves connections to `host` that are opened without a permit. Each is released by one call of
    /// `releaseReserved`, when it is open or has failed.
    ///
    /// - Returns: False if another file is active or waiting, or `host` is known to limit connections or
    ///   requests.
    func reserve(_ count: Int, at host: String) -> Bool { scheduler.reserve(count, at: host) }

    func releaseReserved(at host: String) { scheduler.releaseReserved(at: host) }

    /// Returns why the file gets no further connection; `nil` if nothing prevents it.
    func obstacle(at host: String) -> ConnectionObstacle? { scheduler.obstacle(of: id, at: host) }

    /// Reports that `host` may have banned this program because of too many connections.
    func wasBanned(at host: String) { scheduler.wasBanned(at: host, by: id) }

    /// The file will request no connection, so none has to be reserved for it.
    package func needsNoConnection() {
        scheduler.needsNoConnection(id)
    }

    /// The slot is used only to ask about existing copies.
    func asksOnly() {
        scheduler.asksOnly(id)
    }

    /// Reports after the first response whether the file is worth several connections even while others wait.
    ///
    /// - Parameter isShared: True if the response arrived over a connection that other requests share.
    /// - Returns: False if it must return its connection and call `waitForStart` again, because too many
    ///   large files are active already.
    package func found(isLarge: Bool, isShared: Bool = false) -> Bool {
        scheduler.found(id, isLarge: isLarge, isShared: isShared)
    }

    /// Sets the closure to call when another file needs one of this file's connections.
    package func onReclaim(_ body: (@Sendable () -> Void)?) {
        scheduler.onReclaim(id, body)
    }

    /// Leaves the queue, or frees the slot for the next file. Further calls do nothing.
    package func release() {
        if isReleased.raise() { scheduler.withdraw(id) }
    }
}
