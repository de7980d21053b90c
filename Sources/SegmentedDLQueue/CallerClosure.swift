internal import SegmentedDL
import SegmentedDLSupport

/// A closure of the caller that a manager awaits, as seen by the tasks that run it.
///
/// Waiting for a download inside such a closure could be waiting for the closure itself: it throws instead.
final class CallerClosure: Sendable {
    /// The closure that this task runs in; `nil` outside of closures.
    @TaskLocal static var current: CallerClosure?

    /// The part of a manager that awaits the closure.
    enum Waiter: Sendable {
        /// The run of a download, and everything that waits for it.
        case run
        /// The delivery of events, which only a shutdown awaits.
        case events
    }

    private let manager: ObjectIdentifier
    private let waiter: Waiter
    private let outer: CallerClosure?
    private let hasReturned = OnceFlag()

    private init(of manager: DownloadManager, _ waiter: Waiter) {
        self.manager = ObjectIdentifier(manager)
        self.waiter = waiter
        outer = Self.current
    }

    /// Runs a closure of the caller.
    static func run<Value>(
        of manager: DownloadManager, _ waiter: Waiter, _ body: () async throws -> Value
    ) async throws -> Value {
        let closure = CallerClosure(of: manager, waiter)
        // A task that was created in the closure and outlives it waits like any other.
        defer { closure.hasReturned.raise() }
        return try await $current.withValue(closure, operation: body)
    }

    /// Runs `body`, which creates a task that no closure awaits.
    static func outside<Value>(_ body: () throws -> Value) rethrows -> Value {
        try $current.withValue(nil, operation: body)
    }

    /// Returns true if this task runs in a closure that has not returned and that this part of the manager
    /// awaits.
    static func isAwaited(by waiter: Waiter, of manager: DownloadManager) -> Bool {
        var closure = current
        while let found = closure {
            if found.manager == ObjectIdentifier(manager), found.waiter == waiter,
                !found.hasReturned.isRaised
            {
                return true
            }
            closure = found.outer
        }
        return false
    }

    /// Checks that a call does not wait for the closure that contains it.
    ///
    /// - Throws: `DownloadError` with code `waitsForItself`.
    static func checkMayWait(for what: String, of manager: DownloadManager) throws(DownloadError) {
        guard isAwaited(by: .run, of: manager) else { return }
        throw DownloadError(
            .waitsForItself,
            "A closure of the manager waits for \(what), and the manager waits for the closure; wait in Task.detached, or once it has returned."
        )
    }
}
