/// Sends each element to all listeners, in order.
package final class Multicast<Element: Sendable>: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var last = 0
        var isFinished = false
    }

    private let state = Lock(State())

    package init() {}

    /// Sends subsequent elements to a caller's listener, which limits its own buffer.
    package func add(_ listener: AsyncStream<Element>.Continuation) {
        if register(listener) == nil { listener.finish() }
    }

    /// Returns the listener's number; `nil` if all streams have ended.
    private func register(_ listener: AsyncStream<Element>.Continuation) -> Int? {
        state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.last += 1
            state.listeners[state.last] = listener
            return state.last
        }
    }

    /// Returns a stream of the subsequent elements. It ends early if its reader is too slow, after the last
    /// buffered element, because a reader that missed an element would have a wrong state.
    ///
    /// - Parameter limit: The maximum number of buffered elements.
    package func makeStream(limit: Int) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingOldest(limit))
        guard let number = register(continuation) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
        }
        return stream
    }

    /// Sends an element. Calls must not overlap.
    package func send(_ element: Element) {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            if case .dropped = listener.yield(element) { listener.finish() }
        }
    }

    /// Ends all streams, and those made later.
    package func finish() { end(all: true) }

    /// Ends the streams made so far, because their readers would miss an element.
    package func endStreams() { end(all: false) }

    private func end(all: Bool) {
        let listeners = state.withLock { state in
            state.isFinished = state.isFinished || all
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        // Outside the lock, because `finish()` calls `onTermination`, which acquires it.
        for listener in listeners { listener.finish() }
    }
}
