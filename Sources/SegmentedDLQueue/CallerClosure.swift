internal import SegmentedDL
import SegmentedDLSupport

/// A caller's closure that a manager awaits, from the point of view of the tasks that run it.
///
/// Inside such a closure, waiting for a download could mean waiting for the closure itself, so the wait
/// throws instead.
final class CallerClosure: Sendable {
    /// The closure that this task runs in; `nil` outside of closures.
    @TaskLocal static var current: CallerClosure?

    /// The part of a manager that awaits the closure.
    enum Waiter: Sendable {
        /// The run of a download, and everything that awaits it.
        case run
        /// A transfer that holds a slot and a connection of the downloader.
        case transfer
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

    /// Runs a caller's closure.
    static func run<Value>(
        of manager: DownloadManager, _ waiter: Waiter, _ body: () async throws -> Value
    ) async throws -> Value {
        let closure = CallerClosure(of: manager, waiter)
        // A task that was created in the closure and outlives it may wait like any other.
        defer { closure.hasReturned.raise() }
        return try await $current.withValue(closure, operation: body)
    }

    /// Runs `body`, which creates a task that is not awaited by a closure.
    static func outside<Value>(_ body: () throws -> Value) rethrows -> Value {
        try $current.withValue(nil, operation: body)
    }

    /// Creates a task that is not awaited by a closure.
    ///
    /// - Parameter isolation: The actor that it begins on: the caller's. Its tasks begin in order.
    @discardableResult
    static func task(
        isolation: isolated (any Actor)? = #isolation, _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        outside {
            Task {
                _ = isolation
                await body()
            }
        }
    }

    /// Returns true if this task runs in a closure that has not returned yet and is awaited by this part of
    /// the manager.
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
    static func checkMayWait(
        for what: String, by waiter: Waiter = .run, of manager: DownloadManager
    ) throws(DownloadError) {
        guard isAwaited(by: waiter, of: manager) else { return }
        throw DownloadError(
            .waitsForItself,
            "A closure of the manager waits for \(what), while the manager waits for the closure; wait in Task.detached, or after the closure has returned."
        )
    }
}
