import SegmentedDLSupport

/// A small body in memory.
final class MemorySink: BodySink {
    private let limit: Int
    private let content = Lock<[UInt8]>([])

    /// - Parameter limit: The maximum length of the body in bytes. A longer body is truncated shortly after
    ///   it.
    init(limit: Int) {
        self.limit = limit
    }

    /// The received bytes; more than the limit if the body is longer.
    var bytes: [UInt8] { content.withLock { $0 } }

    func receive(_ received: UnsafeRawBufferPointer) -> SinkAnswer {
        content.withLock { content in
            content.append(contentsOf: received)
            return content.count > limit ? .enough : .more
        }
    }

    func tick() -> SinkAnswer { .more }

    func finish() {}
}
