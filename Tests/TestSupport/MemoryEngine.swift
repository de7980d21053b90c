// A release module cannot be imported with @testable, and `swift build -c release` builds this one too. `Scripts/test`
// defines TESTABLE.
#if DEBUG || TESTABLE
    import SegmentedDLSupport

    @testable import SegmentedDL

    /// An engine without a network: each request is answered by a function.
    final class MemoryEngine: TransferEngine {
        /// A server's answer to one request.
        struct Reply: Sendable {
            var head: ResponseHead
            var body: [UInt8] = []
            /// The error that ends the body early.
            var error: EngineError?
            /// The distance of the server.
            var distance: ServerDistance?
            /// The number of requests that must have arrived before the body begins.
            var awaited = 0
            /// The number of bodies that must have begun before this one does.
            var awaitedBodies = 0
        }

        /// A request that arrived.
        struct Request: Sendable {
            var url: String
            var range: TransferRequest.Range
            var headers: [HTTPHeader]
            var isRateLimited: Bool
            var decodes = false
            var credentials: Credentials?
        }

        private let answer: @Sendable (Request, _ number: Int) throws -> Reply
        private let state = Lock<(requests: [Request], abandoned: Int, begun: Int)>(([], 0, 0))
        private let opened = Lock<[String]>([])
        private let distance = Lock<Double?>(nil)

        /// - Parameter answer: Called with each request and its number, from 1. An error that it throws
        ///   becomes the engine's.
        init(_ answer: @escaping @Sendable (Request, _ number: Int) throws -> Reply) {
            self.answer = answer
        }

        var requests: [Request] { state.withLock { $0.requests } }
        /// The number of responses released before their end.
        var abandoned: Int { state.withLock { $0.abandoned } }

        /// The round-trip time in seconds that each request reports for its connection; `nil` to report none.
        var roundTrip: Double? {
            get { distance.withLock { $0 } }
            set { distance.withLock { $0 = newValue } }
        }
        /// The URLs for which connections were opened without a request.
        var connects: [String] { opened.withLock { $0 } }

        func drain() async {}

        func connect(
            _ request: TransferRequest, ended: @escaping @Sendable () -> Void
        ) -> @Sendable () -> Void {
            opened.withLock { $0.append(request.url) }
            ended()
            return {}
        }

        func open(_ request: TransferRequest) async throws -> any OpenTransfer {
            let asked = Request(
                url: request.url, range: request.range, headers: request.headers,
                isRateLimited: request.limiters.contains { $0.isLimited }, decodes: request.decodes,
                credentials: request.credentials)
            let number = state.withLock { state in
                state.requests.append(asked)
                return state.requests.count
            }
            try Task.checkCancellation()
            if let roundTrip { request.onConnect?(roundTrip) }
            return Open(reply: try answer(asked, number), prefetch: request.prefetch, engine: self)
        }

        func ask(_ batch: ConditionalRequests, for seconds: Double) async throws -> ConditionalAnswers {
            var said = ConditionalAnswers(answers: batch.requests.map { _ in .none })
            for (index, request) in batch.requests.enumerated() {
                let asked = Request(
                    url: batch.url + request.target.dropFirst(), range: .none,
                    headers: batch.headers + [request.condition.header], isRateLimited: false)
                let number = state.withLock { state in
                    state.requests.append(asked)
                    return state.requests.count
                }
                do {
                    try Task.checkCancellation()
                    let head = try answer(asked, number).head
                    let isUnchanged = head.status == 304 && request.condition.isConfirmed(by: head)
                    said.answers[index] = isUnchanged ? .unchanged : .other
                } catch {
                    said.isCancelled = error is CancellationError
                    said.wasUseless = !said.isCancelled
                    break
                }
            }
            return said
        }

        private func isEarly(_ reply: Reply) -> Bool {
            state.withLock { $0.requests.count < reply.awaited || $0.begun < reply.awaitedBodies }
        }

        private final class Open: OpenTransfer {
            let head: ResponseHead
            let isShared: Bool? = nil
            let body: [UInt8]?
            var refusalText: [UInt8] { head.refusalSeconds == nil ? [] : reply.body }
            var distance: ServerDistance? { reply.distance }
            private let reply: Reply
            private let engine: MemoryEngine
            private let isOver: Lock<Bool>
            private let isResumed = Lock(false)

            init(reply: Reply, prefetch: Int, engine: MemoryEngine) {
                head = reply.head
                let comesAlong = reply.error == nil && prefetch > 0 && reply.body.count <= prefetch
                body = comesAlong ? reply.body : nil
                isOver = Lock(comesAlong)
                self.reply = reply
                self.engine = engine
            }

            func receive(into sink: any BodySink) async -> TransferReport {
                isOver.withLock { $0 = true }
                defer { sink.finish() }
                while engine.isEarly(reply), !Task.isCancelled {
                    try? await Task.sleep(for: .milliseconds(1))
                }
                var rest = reply.body[...]
                while !rest.isEmpty {
                    if Task.isCancelled { return TransferReport(wasCancelled: true) }
                    // Other tasks run in between, as when bytes arrive slowly.
                    await Task.yield()
                    let piece = rest.prefix(16 * 1024)
                    isResumed.withLock { $0 = false }
                    switch piece.withUnsafeBytes(sink.receive) {
                    case .more:
                        if rest.count == reply.body.count { engine.state.withLock { $0.begun += 1 } }
                        rest = rest.dropFirst(piece.count)
                    case .enough: return TransferReport(wasCut: true)
                    case .hold:
                        while !isResumed.withLock({ $0 }), !Task.isCancelled {
                            if case .enough = sink.tick() { return TransferReport(wasCut: true) }
                            try? await Task.sleep(for: .milliseconds(1))
                        }
                    }
                }
                return TransferReport(error: reply.error)
            }

            func resume() { isResumed.withLock { $0 = true } }

            func abandon() {
                let wasOpen = isOver.withLock { isOver in
                    defer { isOver = true }
                    return !isOver
                }
                if wasOpen { engine.state.withLock { $0.abandoned += 1 } }
            }
        }
    }

    extension MemoryEngine.Reply {
        /// Returns the correct answer for a file.
        static func honest(_ content: [UInt8], _ range: TransferRequest.Range, etag: String? = "\"v1\"")
            -> Self
        {
            let total = Int64(content.count)
            let validators = etag.map { [HTTPHeader("ETag", $0)] } ?? []
            let wanted: ByteRange
            switch range {
            case .none:
                let fields = [HTTPHeader("Content-Length", "\(total)")]
                return Self(head: ResponseHead(status: 200, fields: fields + validators), body: content)
            case .from(let offset): wanted = offset..<total
            case .exactly(let range): wanted = range.lowerBound..<min(range.upperBound, total)
            }
            let head = ResponseHead(
                status: 206,
                fields: [
                    HTTPHeader(
                        "Content-Range", "bytes \(wanted.lowerBound)-\(wanted.upperBound - 1)/\(total)")
                ] + validators)
            return Self(head: head, body: Array(content[Int(wanted.lowerBound)..<Int(wanted.upperBound)]))
        }
    }
#endif
