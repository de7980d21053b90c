@testable import SegmentedDL

/// Drives a scheduler state in tests: keeps the time, and allows calls inside `#expect`.
final class SchedulerDriver {
    var state: SchedulerState
    var now = 0.0

    init(files: Int = 4, connections: Int = 16, perHost: Int = 8, order: QueueOrder = .fifo) {
        var limits = Limits()
        limits.activeFiles = .fixed(files)
        limits.connections = connections
        limits.connectionsPerHost = perHost
        limits.queueOrder = order
        state = SchedulerState(limits: limits)
    }

    @discardableResult
    func submit(_ file: Int, priority: Int = 0) -> [SchedulerState.Action] {
        state.submit(file, priority: priority, now: now)
    }

    @discardableResult
    func withdraw(_ file: Int) -> [SchedulerState.Action] { state.withdraw(file, now: now) }

    @discardableResult
    func request(_ connection: Int, file: Int, host: String = "a") -> [SchedulerState.Action] {
        state.request(connection, file: file, host: host, now: now)
    }

    @discardableResult
    func release(_ connection: Int) -> [SchedulerState.Action] { state.release(connection, now: now) }

    @discardableResult
    func refused(_ connection: Int, retryAfter: Double? = nil) -> [SchedulerState.Action] {
        state.refused(connection, retryAfter: retryAfter, now: now)
    }

    @discardableResult
    func tick(at time: Double) -> [SchedulerState.Action] {
        now = time
        return state.tick(now: now)
    }

    @discardableResult
    func set(_ change: (inout Limits) -> Void) -> [SchedulerState.Action] {
        var limits = state.limits
        change(&limits)
        return state.set(limits, now: now)
    }

    func replaceableFiles(at time: Double) -> Int {
        now = time
        return state.replaceableFiles(now: now)
    }

    var nextChange: Double? { state.nextChange(now: now) }
}

/// Requests of the group that most requests belong to.
extension SchedulerState {
    func pausedUntil(_ host: String) -> Double? { pausedUntil(Place(host: host)) }

    func room(at host: String, now: Double) -> Int { room(at: Place(host: host), now: now) }

    mutating func quotaDelay(of host: String, isAsked: Bool, now: Double) -> Double? {
        quotaDelay(of: Place(host: host), isAsked: isAsked, now: now)
    }
}
