import Dispatch

/// Threads for calls that block on a disk, so that they do not hold up Swift's cooperative pool.
package enum DiskThread {
    private static let queue = DispatchQueue(label: "SegmentedDL.disk", attributes: .concurrent)

    /// Runs a function that cannot fail on a thread of its own.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            queue.async {
                continuation.resume(returning: body())
            }
        }
    }

    /// Runs `body` on a thread of its own. It is not interrupted when the task is cancelled.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            queue.async {
                continuation.resume(with: Swift.Result(catching: body))
            }
        }
    }
}
