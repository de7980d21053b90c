import SegmentedDLSupport

/// Passes events to one reader, and suspends senders while the reader is slow.
final class EventChannel<Element: Sendable>: Sendable {
    private struct State {
        var waiting: [Element] = []
        var reader: CheckedContinuation<[Element], Never>?
        var senders: [CheckedContinuation<Void, Never>] = []
        var isFinished = false
    }

    private let state = Lock(State())
    private let capacity: Int

    /// - Parameter capacity: The number of events that are buffered before senders are suspended.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Sends one event, like `send` for several.
    func send(_ element: Element) async {
        await send(CollectionOfOne(element))
    }

    /// Sends events, and returns once the buffer has room again. After `finish()`, events are dropped.
    func send(_ elements: some Collection<Element>) async {
        let isFull = state.withLock { state -> Bool in
            guard !state.isFinished else { return false }
            state.waiting += elements
            return state.waiting.count > capacity
        }
        wakeReader()
        guard isFull else { return }
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                if state.isFinished || state.waiting.count <= capacity { return true }
                state.senders.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Ends the stream. The reader receives the buffered events, then the end.
    func finish() {
        let senders = state.withLock { state in
            state.isFinished = true
            return takeSenders(&state)
        }
        for sender in senders { sender.resume() }
        wakeReader()
    }

    /// Waits for events. Only one reader may wait at a time.
    ///
    /// - Returns: All buffered events, at least one; none at the end.
    func next() async -> [Element] {
        await withCheckedContinuation { continuation in
            state.withLock { $0.reader = continuation }
            wakeReader()
        }
    }

    private func wakeReader() {
        let (reader, elements, senders) = state.withLock {
            state -> (CheckedContinuation<[Element], Never>?, [Element], [CheckedContinuation<Void, Never>])
            in
            guard let reader = state.reader, !state.waiting.isEmpty || state.isFinished else {
                return (nil, [], [])
            }
            state.reader = nil
            defer { state.waiting = [] }
            return (reader, state.waiting, takeSenders(&state))
        }
        reader?.resume(returning: elements)
        for sender in senders { sender.resume() }
    }

    private func takeSenders(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        defer { state.senders = [] }
        return state.senders
    }
}
