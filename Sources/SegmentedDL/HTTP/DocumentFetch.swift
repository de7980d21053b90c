import SegmentedDLSupport

/// Fetches a short document into memory.
package struct DocumentFetch: Sendable {
    /// A received document.
    package struct Document: Sendable {
        package var bytes: [UInt8]
        /// The target of redirects.
        package var source: Source
        package var contentType: String?
        /// The values of its Link fields.
        package var links: [String] = []
        /// The digest that a registry states (Docker-Content-Digest).
        package var statedDigest: String?
    }

    /// The maximum length in bytes of a document that is read.
    package let limit: Int
    package let retry: RetryPolicy
    /// The maximum duration of an attempt after its first request, however many bytes arrive; `nil` for any.
    let deadline: Duration?
    private let options: RequestOptions

    /// - Parameter body: The body to send; `nil` for a GET.
    package init(limit: Int, retry: RetryPolicy, body: RequestBody? = nil, deadline: Duration? = nil) {
        self.limit = limit
        self.retry = retry
        self.deadline = deadline
        var options = RequestOptions()
        options.body = body
        self.options = options
    }

    /// Fetches the document of a client's source. If the server sends it encoded without being asked, it is
    /// requested again and decoded.
    ///
    /// - Throws: `TransferFailure`, or `CancellationError`.
    package func fetch(_ client: SourceClient) async throws -> Document {
        do {
            return try await document(client)
        } catch TransferFailure.encoded where client.ifEncoded == .fail {
            var decoding = client
            decoding.ifEncoded = .decode
            return try await document(decoding)
        }
    }

    private func document(_ client: SourceClient) async throws -> Document {
        var client = client
        client.limitsWaits = true
        return try await request(client)
    }

    private func request(_ client: SourceClient) async throws -> Document {
        try await retry.retrying(for: client, hasAnswered: false) {
            try await withinDeadline(client) { began in
                // A request with a body may have side effects, so it must not be repeated.
                guard options.body == nil else { return try await answer(client, began) }
                return try await client.hedged(mayOmitRange: false) { _ in try await answer(client, began) }
            }
        }
    }

    /// Runs `body`, which sends the event with its first request.
    ///
    /// - Throws: The errors of `body`; `TransferFailure.other` if it takes too long.
    private func withinDeadline(
        _ client: SourceClient, _ body: @escaping @Sendable (AsyncEvent) async throws -> Document
    ) async throws -> Document {
        let began = AsyncEvent()
        guard let deadline else { return try await body(began) }
        return try await withThrowingTaskGroup(of: Document?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await body(began) }
            group.addTask {
                // The wait for a connection does not count: the file itself may hold all of its host's
                // connections.
                guard await began.wait() else { throw CancellationError() }
                try await Task.sleep(for: deadline)
                return nil
            }
            guard let first = try await group.next(), let document = first else {
                throw late(client.source, deadline)
            }
            return document
        }
    }

    private func answer(_ client: SourceClient, _ began: AsyncEvent) async throws -> Document {
        try await client.withPermit { permit in
            began.send()
            return try await once(client, &permit)
        }
    }

    private func once(_ client: SourceClient, _ permit: inout ConnectionPermit) async throws -> Document {
        let response = try await client.open(.none, &permit, options)
        defer { response.transfer.abandon() }
        let length = try response.expectWhole("document")
        permit.worked()
        guard length ?? 0 <= limit else { throw tooLong(client.source) }
        let sink = MemorySink(limit: limit)
        let report = await response.transfer.receive(into: sink)
        if report.wasCancelled { throw CancellationError() }
        let received = sink.bytes
        guard received.count <= limit else { throw tooLong(client.source) }
        if let error = report.error { throw response.told(.network(error)) }
        if let length, !response.isDecoded, Int64(received.count) != length {
            throw TransferFailure.shortBody
        }
        return Document(
            bytes: received, source: client.target, contentType: response.head["content-type"],
            links: response.head.values("link"), statedDigest: response.head["docker-content-digest"])
    }

    private func late(_ source: Source, _ deadline: Duration) -> TransferFailure {
        .other(
            DownloadError(
                .timedOut,
                "\(source): the document was not complete after \(Int(deadline.seconds)) s; try again later.",
                url: source.description, isRetryable: true))
    }

    private func tooLong(_ source: Source) -> TransferFailure {
        .other(
            DownloadError(
                .badResponse,
                "'\(source)' has more than \(limit) bytes; it may be endless. If it is not, raise the limit.",
                url: source.description))
    }
}
