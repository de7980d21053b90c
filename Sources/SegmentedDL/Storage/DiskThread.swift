import SegmentedDLSupport

/// Separate threads for calls that block on a disk, to keep them off Swift's cooperative pool.
package enum DiskThread {
    private static let threads = BlockingThreads(label: "SegmentedDL.disk", limit: 32)

    /// Runs a non-throwing function on a separate thread.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            threads.run {
                continuation.resume(returning: body())
            }
        }
    }

    /// Runs `body` on a separate thread. It is not interrupted when the task is cancelled.
    package static func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws
        -> Result
    {
        try await withCheckedThrowingContinuation { continuation in
            threads.run {
                continuation.resume(with: Swift.Result(catching: body))
            }
        }
    }

    /// Runs `body` on a separate thread, and returns a stream of the elements that it sends. The stream ends
    /// when `body` returns or throws, or when its reader is cancelled or drops it, which makes
    /// `Output.checkCancellation()` throw.
    package static func stream<Element: Sendable>(
        _ body: @escaping @Sendable (Output<Element>) throws -> Void
    ) -> AsyncThrowingStream<Element, any Error> {
        AsyncThrowingStream { continuation in
            let output = Output(continuation)
            threads.run {
                continuation.finish(throwing: Self.failure { try body(output) })
            }
        }
    }

    private static func failure(of body: () throws -> Void) -> (any Error)? {
        do {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// The writing end of a stream from a thread.
    package struct Output<Element: Sendable>: Sendable {
        private let continuation: AsyncThrowingStream<Element, any Error>.Continuation
        private let ended = OnceFlag()

        fileprivate init(_ continuation: AsyncThrowingStream<Element, any Error>.Continuation) {
            self.continuation = continuation
            continuation.onTermination = { [ended] _ in ended.raise() }
        }

        /// Sends an element to the reader. Does not wait for the reader.
        package func send(_ element: Element) {
            continuation.yield(element)
        }

        /// - Throws: `CancellationError` if the stream no longer has a reader.
        package func checkCancellation() throws {
            if ended.isRaised { throw CancellationError() }
        }
    }
}
