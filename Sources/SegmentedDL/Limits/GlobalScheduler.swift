import SegmentedDLSupport

/// The single place that decides which file may run and which connection may be open.
///
/// All decisions are made in `SchedulerState`; this class adds the lock, the waiting tasks and the clock.
final class GlobalScheduler: Sendable {
    private struct State {
        var decisions: SchedulerState
        var nextID = 0
        var waitingFiles: [Int: CheckedContinuation<Void, any Error>] = [:]
        var waitingConnections: [Int: CheckedContinuation<Void, any Error>] = [:]
        /// Files that may begin, but whose tasks are not waiting yet.
        var started: Set<Int> = []
        var reclaimers: [Int: @Sendable () -> Void] = [:]
    }

    /// The error of a request for a connection that must not wait as long as its host requests.
    struct EndedWait: Error {}

    /// An effect of a decision, to perform outside the lock.
    private enum Effect: Sendable {
        case resume(CheckedContinuation<Void, any Error>)
        case end(CheckedContinuation<Void, any Error>)
        case call(@Sendable () -> Void)
    }

    private let state: Lock<State>
    private let alarm = Alarm()

    /// - Parameter pauseFactor: The factor of the pauses that hosts have not requested.
    init(limits: Limits, pauseFactor: Double = 1) {
        state = Lock(State(decisions: SchedulerState(limits: limits, pauseFactor: pauseFactor)))
    }

    func set(_ limits: Limits) {
        update { $0.decisions.set(limits, now: $1) }
    }

    // MARK: Files

    /// Puts a file into the queue. Its position is fixed when this returns.
    ///
    /// - Parameter subject: An identifier of the file, the same for each of its downloads.
    func submit(priority: Int, subject: Int? = nil) -> FileSlot {
        let id = makeID()
        update { $0.decisions.submit(id, priority: priority, now: $1) }
        return FileSlot(id: id, subject: subject ?? id, scheduler: self)
    }

    func waitForStart(_ file: Int) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let mayBegin = state.withLock { state in
                    if state.started.remove(file) != nil { return true }
                    state.waitingFiles[file] = continuation
                    return false
                }
                if mayBegin {
                    continuation.resume()
                } else if Task.isCancelled {
                    abandonWait(file: file)
                }
            }
        } onCancel: {
            abandonWait(file: file)
        }
    }

    private func abandonWait(file: Int) {
        state.withLock { $0.waitingFiles.removeValue(forKey: file) }?.resume(throwing: CancellationError())
    }

    func withdraw(_ file: Int) {
        update { state, now in
            state.started.remove(file)
            state.reclaimers[file] = nil
            return state.decisions.withdraw(file, now: now)
        }
    }

    /// The number of files that may be active now.
    var allowedFiles: Int { state.withLock { $0.decisions.allowedFiles } }

    /// The number of files that may start in place of stalled ones.
    var replaceableFiles: Int {
        let now = Monotonic.now()
        return state.withLock { $0.decisions.replaceableFiles(now: now) }
    }

    /// The number of files and connections that wait for their turn.
    var waitingCount: Int { state.withLock { $0.decisions.waitingCount } }

    /// True if a file or connection of more than the default priority is waiting.
    var prioritiesWait: Bool { state.withLock { $0.decisions.prioritiesWait } }

    /// Returns true if a host is known to limit connections or requests.
    func isRestricted(_ host: String) -> Bool { state.withLock { $0.decisions.isRestricted(host) } }

    /// Returns true if a host has announced a request rate limit.
    func announcesQuota(_ host: String) -> Bool {
        state.withLock { $0.decisions.hosts[host]?.hasQuota ?? false }
    }

    /// Returns true if requests to a host share a connection; `nil` if that is not known yet.
    func shares(_ host: String) -> Bool? { state.withLock { $0.decisions.multiplexing[host]?.isShared } }

    /// The number of connections that requests to a host may share.
    func sharedConnections(to host: String) -> Int {
        state.withLock { $0.decisions.offeredConnections(to: host) }
    }

    func found(_ file: Int, isLarge: Bool, isShared: Bool) -> Bool {
        var begins = true
        update { state, now in
            let found = state.decisions.found(file, isLarge: isLarge, isShared: isShared, now: now)
            begins = found.begins
            return found.actions
        }
        return begins
    }

    func needsNoConnection(_ file: Int) {
        update { $0.decisions.needsNoConnection(file, now: $1) }
    }

    func asksOnly(_ file: Int) {
        update { $0.decisions.asksOnly(file, now: $1) }
    }

    func onReclaim(_ file: Int, _ body: (@Sendable () -> Void)?) {
        state.withLock { $0.reclaimers[file] = body }
    }

    // MARK: Connections

    /// Waits until a connection to `host` may be opened.
    ///
    /// - Throws: `CancellationError`, or `EndedWait`; the request has then been withdrawn.
    func connect(
        _ file: Int, subject: Int, host: String, group: String, mayShare: Bool, patience: ConnectionPatience,
        isApart: Bool = false
    ) async throws -> ConnectionPermit {
        let id = makeID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                update { state, now in
                    state.waitingConnections[id] = continuation
                    return state.decisions.request(
                        id, file: file, subject: subject, host: host, group: group, mayShare: mayShare,
                        patience: patience, isApart: isApart, now: now)
                }
                if Task.isCancelled { abandonWait(connection: id) }
            }
        } onCancel: {
            abandonWait(connection: id)
        }
        let offers = mayShare && state.withLock { $0.decisions.mayShare(host) }
        return ConnectionPermit(
            id: id, file: file, host: host, mayShare: mayShare, offersSharing: offers, scheduler: self)
    }

    private func abandonWait(connection id: Int) {
        let continuation = state.withLock { $0.waitingConnections.removeValue(forKey: id) }
        // Without a continuation, the connection was already granted, and its holder will release it.
        guard let continuation else { return }
        update { $0.decisions.release(id, now: $1) }
        continuation.resume(throwing: CancellationError())
    }

    func release(_ connection: Int, isUnused: Bool) {
        update { $0.decisions.release(connection, isUnused: isUnused, now: $1) }
    }

    func refused(_ connection: Int, retryAfter: Double?) -> Bool {
        var isOfFile = false
        update { state, now in
            let actions = state.decisions.refused(connection, retryAfter: retryAfter, now: now)
            isOfFile = state.decisions.isOfFile(connection)
            return actions
        }
        return isOfFile
    }

    func served(_ connection: Int) {
        // Usually nothing has changed.
        guard !state.withLock({ $0.decisions.refusals.isEmpty }) else { return }
        update { $0.decisions.served(connection, now: $1) }
    }

    func told(
        _ quota: RequestQuota?, of connection: Int, at host: String, isRefusal: Bool
    ) -> Double? {
        guard let quota else {
            let isChange = state.withLock { $0.decisions.toldNothing(connection) }
            if isChange { timerFired() }
            return nil
        }
        var delay: Double?
        update { state, now in
            let actions = state.decisions.told(quota, of: connection, now: now)
            let place = state.decisions.connections[connection]?.place ?? .init(host: host)
            delay = state.decisions.quotaDelay(of: place, isAsked: isRefusal, now: now)
            return actions
        }
        return delay
    }

    func quotaDelay(of place: SchedulerState.Place) -> Double? {
        let now = Monotonic.now()
        return state.withLock { $0.decisions.quotaDelay(of: place, isAsked: true, now: now) }
    }

    /// Records the request rate limit that a host announces to requests that have no permits.
    func told(_ quota: RequestQuota, at place: SchedulerState.Place) {
        update { $0.decisions.told(quota, at: place, now: $1) }
    }

    func needsWholeQuota(of host: String) -> Bool {
        let now = Monotonic.now()
        return state.withLock { $0.decisions.needsWholeQuota(of: host, now: now) }
    }

    func asksAgain(_ connection: Int, group: String, needsProof: Bool) -> Bool {
        let now = Monotonic.now()
        return state.withLock {
            $0.decisions.asksAgain(connection, group: group, needsProof: needsProof, now: now)
        }
    }

    func dropped(_ connection: Int) {
        update { $0.decisions.dropped(connection, now: $1) }
    }

    func wasBanned(at host: String, by file: Int) {
        update { $0.decisions.wasBanned(at: host, by: file, now: $1) }
    }

    func isAlone(at host: String) -> Bool {
        state.withLock { $0.decisions.openConnections(to: host) <= 1 }
    }

    func answered(_ connection: Int, isShared: Bool, isDistant: Bool) {
        update { $0.decisions.answered(connection, isShared: isShared, isDistant: isDistant, now: $1) }
    }

    func sharesNoMore(_ host: String) {
        update { $0.decisions.answered(host: host, isShared: false, now: $1) }
    }

    func worked(_ connection: Int) {
        state.withLock { $0.decisions.worked(connection) }
    }

    func pause(of place: SchedulerState.Place) -> (seconds: Double, isOfQuota: Bool) {
        let now = Monotonic.now()
        return state.withLock { $0.decisions.requestedPause(of: place, now: now) }
    }

    func reserve(_ count: Int, at host: String) -> Bool {
        state.withLock { $0.decisions.reserve(count, at: host) }
    }

    func releaseReserved(at host: String) {
        update { $0.decisions.releaseReserved(at: host, now: $1) }
    }

    /// The number of further connections that a host accepts now; less than 1 for none.
    func room(at place: SchedulerState.Place) -> Int {
        let now = Monotonic.now()
        return state.withLock { $0.decisions.room(at: place, now: now) }
    }

    func obstacle(of file: Int, at host: String) -> ConnectionObstacle? {
        let now = Monotonic.now()
        return state.withLock { $0.decisions.obstacle(of: file, at: host, now: now) }
    }

    // MARK: Effects

    private func makeID() -> Int {
        state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
    }

    private func update(_ decide: (inout State, Double) -> [SchedulerState.Action]) {
        let now = Monotonic.now()
        let effects = state.withLock { state in
            let actions = decide(&state, now)
            alarm.set(to: state.decisions.nextChange(now: now), now: now, for: self) { $0.timerFired() }
            return actions.compactMap { Self.effect(of: $0, &state) }
        }
        // Outside the lock, because resumed tasks and closures may immediately call the scheduler again.
        for effect in effects {
            switch effect {
            case .resume(let continuation): continuation.resume()
            case .end(let continuation): continuation.resume(throwing: EndedWait())
            case .call(let body): body()
            }
        }
    }

    private static func effect(of action: SchedulerState.Action, _ state: inout State) -> Effect? {
        switch action {
        case .start(let file):
            if let continuation = state.waitingFiles.removeValue(forKey: file) {
                return .resume(continuation)
            }
            state.started.insert(file)
            return nil
        case .grant(let connection):
            return state.waitingConnections.removeValue(forKey: connection).map { .resume($0) }
        case .end(let connection):
            return state.waitingConnections.removeValue(forKey: connection).map { .end($0) }
        case .reclaim(let file):
            return state.reclaimers[file].map { .call($0) }
        }
    }

    private func timerFired() {
        update { $0.decisions.tick(now: $1) }
    }
}
