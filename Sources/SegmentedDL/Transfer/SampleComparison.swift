import SegmentedDLSupport

/// Compares samples of the bytes on disk with a fresh fetch, where validators prove nothing.
struct SampleComparison: Sendable {
    /// How many bytes are compared at each place.
    private static let length: Int64 = 64 * 1024

    /// At how many places.
    private static let places: Int64 = 5

    let requester: Requester
    let part: PartFile
    let total: Int64

    /// - Parameter written: What is on disk; not empty.
    /// - Returns: Whether the server's bytes are those on disk.
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func matches(_ written: ByteRangeSet, _ permit: inout ConnectionPermit) async throws -> Bool {
        for sample in Self.samples(of: written) where try await !matches(sample, &permit) { return false }
        return !written.isEmpty
    }

    /// Spread evenly over what is on disk, its first and its last bytes among them.
    static func samples(of written: ByteRangeSet) -> [ByteRange] {
        let bytes = written.byteCount
        let positions = (0..<places).map { bytes / places * $0 } + [max(0, bytes - length)]
        var samples: [ByteRange] = []
        for position in positions {
            var rest = position
            for range in written.ranges {
                guard rest >= range.length else {
                    let lower = range.lowerBound + rest
                    samples.append(lower..<min(lower + length, range.upperBound))
                    break
                }
                rest -= range.length
            }
        }
        return samples
    }

    private func matches(_ sample: ByteRange, _ permit: inout ConnectionPermit) async throws -> Bool {
        let response = try await requester.open(.exactly(sample), &permit)
        defer { response.transfer.abandon() }
        switch response.answer {
        case .range(_, total): break
        case .range, .whole: return false
        // A server that is busy or failing says nothing about the bytes.
        default: throw TransferFailure(response.answer, permit) ?? .wrongRange("an answer without a range")
        }
        return try await response.isEqual(to: sample, in: part)
    }
}

extension Response {
    /// Receives its body.
    ///
    /// - Returns: Whether it is what a part file has there.
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func isEqual(to sample: ByteRange, in part: PartFile) async throws -> Bool {
        let sink = MemorySink(capacity: Int(sample.length))
        let report = await transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw TransferFailure.network(error) }
        guard sink.bytes.count >= sample.length || report.wasCut else { throw TransferFailure.shortBody }
        return try await DiskThread.run {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(sample.length), alignment: 16)
            defer { buffer.deallocate() }
            let count = try part.read(into: buffer, at: sample.lowerBound)
            return buffer[..<count].elementsEqual(sink.bytes)
        }
    }
}

/// Keeps a small body in memory.
final class MemorySink: BodySink {
    private let content = Lock<[UInt8]>([])
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    var bytes: [UInt8] { content.withLock { $0 } }

    func receive(_ received: UnsafeRawBufferPointer) -> SinkAnswer {
        content.withLock { content in
            guard content.count + received.count <= capacity else { return .enough }
            content.append(contentsOf: received)
            return .more
        }
    }

    func tick() -> SinkAnswer { .more }

    func finish() {}
}
