/// A signal from any number of senders to one reader. Several signals before a wait count as one.
public final class AsyncEvent: Sendable {
    private let sender: AsyncStream<Void>.Continuation
    private let signals: AsyncStream<Void>

    /// Creates a signal that has not been sent.
    public init() {
        (signals, sender) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Sends the signal: the reader wakes, or its next wait returns immediately.
    public func send() {
        sender.yield()
    }

    /// Ends the signal: the reader no longer waits.
    public func finish() {
        sender.finish()
    }

    /// Waits until the signal is sent or ended. One task may wait at a time; if it is cancelled, the signal
    /// ends.
    ///
    /// - Returns: False if the signal has ended.
    @discardableResult
    public func wait() async -> Bool {
        var iterator = signals.makeAsyncIterator()
        return await iterator.next(isolation: #isolation) != nil
    }
}
