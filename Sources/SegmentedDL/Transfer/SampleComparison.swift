/// Compares a sample of the bytes on disk with a fresh fetch, where validators prove nothing.
struct SampleComparison: Sendable {
    /// How many bytes are compared.
    private static let length: Int64 = 64 * 1024

    let requester: Requester
    let part: PartFile
    let total: Int64

    /// - Parameter written: What is on disk; not empty.
    /// - Returns: Whether the server's bytes are those on disk.
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func matches(_ written: ByteRangeSet, _ permit: inout ConnectionPermit) async throws -> Bool {
        // The end of what is there: a file that grew or was rebuilt rarely agrees there by chance.
        guard let last = written.ranges.last else { return false }
        let sample = max(last.lowerBound, last.upperBound - Self.length)..<last.upperBound
        let response = try await requester.open(.exactly(sample), &permit)
        guard case .range(_, total) = response.answer else { return false }
        let sink = MemorySink(capacity: Int(sample.length))
        let report = await response.transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw TransferFailure.network(error) }
        let part = part
        return try await DiskThread.run {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(sample.length), alignment: 16)
            defer { buffer.deallocate() }
            let count = try part.read(into: buffer, at: sample.lowerBound)
            return buffer[..<count].elementsEqual(sink.bytes)
        }
    }
}

/// Keeps a small body in memory.
///
/// `@unchecked Sendable`: only the engine's thread touches it until `receive(into:)` has returned.
final class MemorySink: BodySink, @unchecked Sendable {
    private(set) var bytes: [UInt8] = []
    private let capacity: Int

    init(capacity: Int) {
        self.capacity = capacity
    }

    func receive(_ received: UnsafeRawBufferPointer) -> SinkAnswer {
        guard bytes.count + received.count <= capacity else { return .enough }
        bytes.append(contentsOf: received)
        return .more
    }

    func tick() {}

    func finish() {}
}
