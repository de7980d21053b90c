/// One timer that its owner sets again whenever the moment changes at which it is needed.
public final class Alarm: Sendable {
    private struct State {
        var moment: Double?
        var task: Task<Void, Never>?
        /// How many tasks there were.
        var tasks = 0
    }

    private let state = Lock(State())

    /// An alarm that is not set.
    public init() {}

    deinit {
        state.withLock { $0.task?.cancel() }
    }

    /// Calls `fire` at a moment, instead of at the one set before. If that is the same moment, nothing
    /// changes.
    ///
    /// - Parameters:
    ///   - moment: Seconds on the owner's clock; `nil` for never.
    ///   - now: The time on that clock.
    ///   - owner: The object that `fire` is called with, unless it is deallocated by then.
    ///   - fire: Called once, on a task of its own. A closure without captures costs nothing if nothing
    ///     changes.
    public func set<Owner: AnyObject & Sendable>(
        to moment: Double?, now: Double, for owner: Owner,
        _ fire: @escaping @Sendable (Owner) async -> Void
    ) {
        state.withLock { state in
            guard moment != state.moment else { return }
            state.task?.cancel()
            state.moment = moment
            state.tasks += 1
            let number = state.tasks
            state.task = moment.map { moment in
                Task { [weak self, weak owner] in
                    guard (try? await Task.sleep(for: .seconds(max(0, moment - now)))) != nil,
                        self?.end(number) == true, let owner
                    else { return }
                    await fire(owner)
                }
            }
        }
    }

    /// Marks the alarm as not set, so that `fire` can set it to the same moment again.
    ///
    /// - Returns: False if another call has set it since: a cancellation that comes when the sleep is over
    ///   has no effect, so the number decides which task may fire.
    private func end(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.tasks == number else { return false }
            state.moment = nil
            state.task = nil
            return true
        }
    }
}
