internal import SegmentedDLSupport

/// Sends every element to all readers. A reader that is too slow is cut off, so that it does not fill the
/// memory.
final class Fanout<Element: Sendable>: Sendable {
    private struct State {
        var readers: [Int: AsyncStream<Element>.Continuation] = [:]
        var last = 0
        var isFinished = false
    }

    private let longest: Int
    private let state = Lock(State())

    /// - Parameter longest: The elements that may wait for a reader. It would show a wrong state if it missed
    ///   any.
    init(longest: Int) {
        self.longest = longest
    }

    /// Returns a stream of the elements from now on. It ends early if its reader is too slow.
    func makeStream() -> AsyncStream<Element> {
        let (stream, reader) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingOldest(longest))
        let number = state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.last += 1
            state.readers[state.last] = reader
            return state.last
        }
        guard let number else {
            reader.finish()
            return stream
        }
        reader.onTermination = { [weak self] _ in self?.state.withLock { $0.readers[number] = nil } }
        return stream
    }

    func send(_ element: Element) {
        for reader in state.withLock({ Array($0.readers.values) }) {
            if case .dropped = reader.yield(element) { reader.finish() }
        }
    }

    func finish() {
        let readers = state.withLock { state in
            state.isFinished = true
            defer { state.readers = [:] }
            return Array(state.readers.values)
        }
        // Outside the lock, which `onTermination` takes.
        for reader in readers { reader.finish() }
    }
}
