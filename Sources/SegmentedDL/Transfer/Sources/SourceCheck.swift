/// The first request to a further source: a sample shows whether it has the same file.
struct SourceCheck: Sendable {
    /// The maximum number of bytes that are compared.
    static let sampleBytes: Int64 = 16 * 1024

    /// How long the check waits for bytes of other sources to compare with.
    private static let patience = Duration.seconds(2)

    enum Outcome: Sendable {
        case same
        /// The difference.
        case differs(String)
        case nothingLeft
    }

    let member: SourceSet.Member
    let part: any ByteStore
    let plan: SharedPlan

    /// - Throws: `TransferFailure`, `StorageError`, or `CancellationError`.
    func run(_ permit: inout ConnectionPermit) async throws -> Outcome {
        part.hold()
        defer { part.letGo() }
        guard let sample = try await sample() else { return plan.isComplete ? .nothingLeft : .same }
        let response = try await member.client.open(.exactly(sample), &permit)
        defer { response.transfer.abandon() }
        if case .unsatisfiable = response.verdict { return .differs("its length") }
        let range: ByteRange
        do {
            range = try response.expectRange(of: member.identity).range
        } catch .changed(let what) {
            return .differs(what)
        }
        return try await response.isEqual(to: range, in: part)
            ? .same : .differs("its bytes")
    }

    /// The bytes available for comparison.
    private var written: ByteRangeSet { part.readable(plan.snapshot.written) }

    /// Returns a range that is already on disk, as close to the end of the file as possible, because
    /// beginnings are often equal.
    private func sample() async throws -> ByteRange? {
        let deadline = ContinuousClock.now + Self.patience
        while !plan.isComplete, ContinuousClock.now < deadline {
            let last = written.ranges.last
            if let last, last.length >= Self.sampleBytes { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        guard !plan.isComplete, let last = written.ranges.last else { return nil }
        return max(last.lowerBound, last.upperBound - Self.sampleBytes)..<last.upperBound
    }
}
