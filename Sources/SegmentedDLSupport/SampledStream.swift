extension AsyncStream where Element: Sendable & Equatable {
    private struct Samples {
        var last: Element?
        var due: ContinuousClock.Instant
        var hasEnded = false
    }

    /// Returns a stream of the samples of a value, without repeated elements. It is sampled when the reader
    /// requests an element, so that a slow reader gets the current value.
    ///
    /// - Parameters:
    ///   - interval: The minimum time between two samples.
    ///   - sample: Returns the current value, or `nil` if it has none; `isLast` ends the stream.
    ///   - end: Returns when the last sample is due, which is then taken immediately.
    package static func sampled(
        every interval: Duration,
        _ sample: @escaping @Sendable () async -> (value: Element?, isLast: Bool),
        until end: @escaping @Sendable () async -> Void
    ) -> AsyncStream<Element> {
        let samples = Lock(Samples(due: .now))
        return AsyncStream {
            while !Task.isCancelled {
                let (due, hasEnded) = samples.withLock { ($0.due, $0.hasEnded) }
                if hasEnded { break }
                if due > .now {
                    await withTaskGroup { group in
                        group.addTask { try? await Task.sleep(until: due) }
                        group.addTask { await end() }
                        await group.next()
                        group.cancelAll()
                    }
                }
                let (value, isLast) = await sample()
                let isNew = samples.withLock { samples in
                    defer { samples = Samples(last: value, due: .now + interval.asSleep, hasEnded: isLast) }
                    return value != samples.last
                }
                if isNew, let value { return value }
            }
            return nil
        }
    }
}
