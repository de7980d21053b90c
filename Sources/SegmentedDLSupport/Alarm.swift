/// A timer that its owner resets whenever the required time changes.
public final class Alarm: Sendable {
    private struct State {
        var moment: Double?
        var task: Task<Void, Never>?
        /// The number of tasks so far.
        var tasks = 0
    }

    private let state = Lock(State())

    /// Creates an alarm that is not set.
    public init() {}

    deinit {
        state.withLock { $0.task?.cancel() }
    }

    /// Calls `fire` at the given time, which replaces the previous one. An equal time has no effect.
    ///
    /// - Parameters:
    ///   - moment: Seconds on the owner's clock; `nil` for never.
    ///   - now: The current time on that clock.
    ///   - owner: The object passed to `fire`, which is not called if the object has been deallocated.
    ///   - fire: Called once, on a separate task. If it captures nothing, a call with an equal time costs
    ///     nothing.
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
                // Bounded as `Double`, too, because `Duration` cannot represent all of its values.
                let wait = Duration.seconds(min(max(0, moment - now), 1e15)).asSleep
                return Task { [weak self, weak owner] in
                    guard (try? await Task.sleep(for: wait)) != nil,
                        self?.end(number) == true, let owner
                    else { return }
                    await fire(owner)
                }
            }
        }
    }

    /// Marks the alarm as not set, so that `fire` can set it to the same time again.
    ///
    /// - Returns: False if another call has set it since. Cancelling a task after its sleep has no effect, so
    ///   the number decides which task may fire.
    private func end(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.tasks == number else { return false }
            state.moment = nil
            state.task = nil
            return true
        }
    }
}
