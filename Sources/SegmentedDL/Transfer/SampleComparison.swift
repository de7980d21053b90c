/// Compares samples on disk with the server's bytes, for files whose validators prove nothing.
struct SampleComparison: Sendable {
    /// The length of one sample.
    private static let sampleBytes: Int64 = 64 * 1024

    /// The number of samples, in addition to the last bytes on disk.
    private static let sampleCount: Int64 = 5

    let client: SourceClient
    let part: any ByteStore
    /// The file's length in bytes.
    let total: Int64

    /// Returns true if the server's bytes match those on disk.
    ///
    /// - Parameter written: The ranges on disk; not empty.
    /// - Throws: `TransferFailure`, or `CancellationError`.
    func matches(_ written: ByteRangeSet, _ permit: inout ConnectionPermit) async throws -> Bool {
        for sample in Self.samples(of: written) where try await !matches(sample, &permit) { return false }
        return !written.isEmpty
    }

    /// Returns ranges spread evenly over the bytes on disk, including the first and the last bytes.
    static func samples(of written: ByteRangeSet) -> [ByteRange] {
        let bytes = written.byteCount
        let positions = (0..<sampleCount).map { bytes / sampleCount * $0 } + [max(0, bytes - sampleBytes)]
        var samples: [ByteRange] = []
        for position in positions {
            var rest = position
            for range in written.ranges {
                guard rest >= range.length else {
                    let lower = range.lowerBound + rest
                    samples.append(lower..<min(lower + sampleBytes, range.upperBound))
                    break
                }
                rest -= range.length
            }
        }
        return samples
    }

    private func matches(_ sample: ByteRange, _ permit: inout ConnectionPermit) async throws -> Bool {
        var rest = sample
        // A response may contain fewer bytes than requested.
        while !rest.isEmpty {
            let response = try await client.open(.exactly(rest), &permit)
            defer { response.transfer.abandon() }
            if case .whole = response.verdict { return false }
            // A busy or failing server reveals nothing about the bytes.
            let (range, total) = try response.expectRange()
            guard total == self.total, try await response.isEqual(to: range, in: part) else { return false }
            rest = range.upperBound..<rest.upperBound
        }
        return true
    }
}

extension Response {
    /// Receives the body, and returns true if it equals the bytes of a part file in that range.
    ///
    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func isEqual(to sample: ByteRange, in part: any ByteStore) async throws -> Bool {
        let sink = MemorySink(limit: Int(sample.length))
        let report = await transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        if let error = report.error { throw told(.network(error)) }
        guard sink.bytes.count >= sample.length || report.wasCut else { throw TransferFailure.shortBody }
        return try await DiskThread.run {
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(sample.length), alignment: 16)
            defer { buffer.deallocate() }
            let count = try part.read(into: buffer, at: sample.lowerBound)
            return buffer[..<count].elementsEqual(sink.bytes)
        }
    }
}
