import SegmentedDLSupport

/// Fetches something short into memory.
struct DocumentFetch: Sendable {
    /// What was received.
    struct Document: Sendable {
        var bytes: [UInt8]
        /// Where redirects led to.
        var source: Source
        var contentType: String?
    }

    /// How many bytes it may have.
    let limit: Int
    let retry: RetryPolicy

    /// - Throws: `TransferFailure`, or `CancellationError`.
    func fetch(_ requester: Requester) async throws -> Document {
        var recovery = Recovery(policy: retry, hasAnswered: false)
        while true {
            do {
                return try await requester.withPermit { permit in try await once(requester, &permit) }
            } catch let failure as TransferFailure {
                let decision = recovery.decide(
                    failure, others: 0, written: 0, now: Monotonic.now(), jitter: .random(in: 0...1))
                guard case .retry(let wait) = decision else { throw failure }
                try await Task.sleep(for: .seconds(wait))
            }
        }
    }

    private func once(_ requester: Requester, _ permit: inout ConnectionPermit) async throws -> Document {
        let response = try await requester.open(.none, &permit)
        defer { response.transfer.abandon() }
        guard case .whole(let length) = response.answer else {
            throw TransferFailure(response.answer, permit) ?? .wrongRange("a part of the document")
        }
        permit.worked()
        guard length ?? 0 <= limit else { throw tooLong(requester.route.source) }
        let sink = DocumentSink(limit: limit)
        let report = await response.transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        let received = sink.received
        guard received.count <= limit else { throw tooLong(requester.route.source) }
        if let error = report.error { throw TransferFailure.network(error) }
        if let length, Int64(received.count) != length { throw TransferFailure.shortBody }
        return Document(
            bytes: received, source: requester.route.target, contentType: response.head["content-type"])
    }

    private func tooLong(_ source: Source) -> TransferFailure {
        .other(
            DownloadError(
                .badResponse,
                "'\(source)' has more than \(limit) bytes; it may be without end. Allow more for a listing that is not.",
                url: source.description))
    }
}

/// Keeps a body in memory, up to a limit.
private final class DocumentSink: BodySink {
    private let limit: Int
    private let bytes = Lock<[UInt8]>([])

    init(limit: Int) {
        self.limit = limit
    }

    /// What has arrived; more than the limit if there was more.
    var received: [UInt8] { bytes.withLock { $0 } }

    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        self.bytes.withLock { all in
            all.append(contentsOf: bytes)
            return all.count > limit ? .enough : .more
        }
    }

    func tick() -> SinkAnswer { .more }

    func finish() {}
}
