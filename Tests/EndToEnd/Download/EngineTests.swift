import SegmentedDLSupport
import SystemPackage
import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("The engine")
struct EngineTests {
    /// Gives the same answer for all bytes.
    private final class Fixed: BodySink {
        private let answer: @Sendable () -> SinkAnswer

        init(_ answer: @escaping @Sendable () -> SinkAnswer) {
            self.answer = answer
        }

        func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer { answer() }
        func tick() -> SinkAnswer { .more }
        func finish() {}
    }

    private func withEngine(
        _ transport: Transport = Transport(), _ body: (CurlEngine) async throws -> Void
    ) async throws {
        var transport = transport
        // In this test only the engine itself may end a transfer.
        transport.lowSpeedLimit = 0
        let engine = try CurlEngine(transport: transport, maxConnections: 4)
        do {
            try await body(engine)
            await engine.shutdown()
        } catch {
            await engine.shutdown()
            throw error
        }
    }

    @Test(
        "ends a transfer whose buffered bytes were sufficient, although no more arrive",
        .timeLimit(.minutes(10)))
    func enoughAtOnce() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("stall", 100_000, "at=5000")
        try await withEngine { engine in
            let transfer = try await engine.open(TransferRequest(url: url, range: .from(0)))
            #expect(transfer.head.status == 206)
            // While another request is answered, the body arrives and is held back.
            let other = try await engine.open(TransferRequest(url: server.url("plain", 1), range: .none))
            _ = await other.receive(into: Fixed { .more })
            let report = await transfer.receive(into: Fixed { .enough })
            #expect(report.wasCut)
            #expect(report.error == nil)
        }
    }

    @Test("gives the held bytes of an abandoned stream to no later one of the connection")
    func heldBytes() async throws {
        let (size, server) = (Int64(200_000), try await SharedServer.scenario())
        let authority = try await TestAuthority()
        let nginx = try await Nginx(
            server: "\(authority.nginx) location / { proxy_pass \(server.base); proxy_http_version 1.1; }",
            listen: "ssl http2")
        var transport = Transport()
        transport.certificateAuthorities = .init(authority.certificate)
        try await withEngine(transport) { engine in
            func open(_ seed: UInt64, _ size: Int64 = size) async throws -> any OpenTransfer {
                let path = server.url("plain", size, "seed=\(seed)").dropFirst(server.base.count + 1)
                var request = TransferRequest(url: nginx.url(String(path), scheme: "https"), range: .none)
                request.offersHTTP2 = true
                return try await engine.open(request)
            }
            func expectExact(_ transfer: any OpenTransfer, _ seed: UInt64) async {
                let sink = MemorySink(limit: Int(size))
                let report = await transfer.receive(into: sink)
                #expect(
                    report.error == nil && sink.bytes == TestContent(seed: seed).bytes(0..<size), "\(seed)")
            }
            let (abandoned, other) = (try await open(1), try await open(2))
            #expect(abandoned.isShared == true && other.isShared == true)
            // While another request is answered, the bodies arrive and are held back.
            _ = await (try await open(3, 1)).receive(into: Fixed { .more })
            abandoned.abandon()
            let next = try await open(4)
            await expectExact(next, 4)
            await expectExact(other, 2)
        }
    }

    @Test("offers codings for the requests that ask for them, and not for the next one on the handle")
    func codings() async throws {
        let server = try await SharedServer.scenario()
        let url = server.url("echo-headers", 1)
        try await withEngine { engine in
            for decodes in [true, false, true, false] {
                var request = TransferRequest(url: url, range: .none, prefetch: 10_000, prefetchSeconds: 60)
                request.decodes = decodes
                let transfer = try await engine.open(request)
                let sent = String(decoding: try #require(transfer.body), as: UTF8.self).lowercased()
                #expect(sent.contains("accept-encoding: ") == decodes, "\(sent)")
                #expect(sent.contains("gzip") == decodes, "\(sent)")
            }
        }
    }

    @Test(
        "cancels promptly while waiting for the head or the body",
        .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let server = try await SharedServer.scenario()
        let silent = server.url("stall-head", 100_000)
        let stalled = server.url("stall", 100_000, "at=5000")
        try await withEngine { engine in
            let opening = Task { _ = try await engine.open(TransferRequest(url: silent, range: .from(0))) }
            opening.cancel()
            await #expect(throws: CancellationError.self) { try await opening.value }

            let transfer = try await engine.open(TransferRequest(url: stalled, range: .from(0)))
            let receiving = Task { await transfer.receive(into: Fixed { .more }) }
            receiving.cancel()
            #expect(await receiving.value.wasCancelled)
        }
    }

    @Test("a shutdown ends current and later transfers", .timeLimit(.minutes(10)))
    func shutdown() async throws {
        let server = try await SharedServer.scenario()
        let engine = try CurlEngine(transport: Transport(), maxConnections: 4)
        let transfer = try await engine.open(
            TransferRequest(url: server.url("stall", 100_000, "at=5000"), range: .from(0)))
        await engine.shutdown()
        #expect(await transfer.receive(into: Fixed { .more }).wasCancelled)
        await #expect(throws: CancellationError.self) {
            _ = try await engine.open(TransferRequest(url: server.url("plain", 1), range: .from(0)))
        }
        await engine.shutdown()
    }

    @Test(
        "a short body arrives with its head, and its connection is free at once", .timeLimit(.minutes(10))
    )
    func bodyComesAlong() async throws {
        let server = try await SharedServer.scenario()
        let content = TestContent(seed: 1).bytes(0..<10_000)
        try await withEngine { engine in
            var request = TransferRequest(url: server.url("plain", 10_000), range: .from(0))
            request.prefetch = 10_000
            // Long enough for any machine.
            request.prefetchSeconds = 60
            let transfer = try await engine.open(request)
            #expect(transfer.body?.elementsEqual(content) ?? false)
            let other = try await engine.open(request)
            #expect(other.body?.elementsEqual(content) ?? false)
            #expect(try await server.peak().connections == 1)
            let sink = MemorySink(limit: 10_000)
            let report = await transfer.receive(into: sink)
            #expect(report.error == nil && !report.wasCut)
            #expect(sink.bytes.elementsEqual(content))
        }
    }

    @Test("an empty body arrives with its head, too", .timeLimit(.minutes(10)))
    func nothingComesAlong() async throws {
        let server = try await SharedServer.scenario()
        try await withEngine { engine in
            var request = TransferRequest(url: server.url("plain", 0), range: .none)
            request.prefetch = 1
            let empty = try await engine.open(request)
            #expect(empty.body == [])
            request.url = server.url("plain", 100)
            let longer = try await engine.open(request)
            #expect(longer.body == nil)
        }
    }

    @Test(
        "a body that is longer, slower or does not end properly is held back, without losing bytes",
        .timeLimit(.minutes(10)),
        arguments: [
            ("plain", "", 20_000, 20_000),
            ("chunked", "", 20_000, 20_000),
            ("plain", "rate=20000", 5000, 5000),
            ("close-truncated", "at=4000", 5000, 4000),
            ("chunked-truncated", "at=4000", 5000, 4000),
        ])
    func bodyIsHeldBack(behaviour: String, query: String, size: Int64, comes: Int64) async throws {
        let server = try await SharedServer.scenario()
        try await withEngine { engine in
            var request = TransferRequest(url: server.url(behaviour, size, query), range: .none)
            request.prefetch = 10_000
            let transfer = try await engine.open(request)
            #expect(transfer.body == nil)
            let sink = MemorySink(limit: Int(size))
            let report = await transfer.receive(into: sink)
            #expect(report.error?.kind == (comes < size ? .truncated : nil))
            #expect(sink.bytes.elementsEqual(TestContent(seed: 1).bytes(0..<comes)))
        }
    }

    @Test(
        "a rate limit also applies to a short body",
        .timeLimit(.minutes(10)))
    func limitedBody() async throws {
        let server = try await SharedServer.scenario()
        try await withEngine { engine in
            let limiter = RateLimiter(rate: 1_000_000)
            var request = TransferRequest(url: server.url("plain", 10_000), range: .none, limiters: [limiter])
            request.prefetch = 10_000
            let transfer = try await engine.open(request)
            #expect(transfer.body == nil)
            let sink = MemorySink(limit: 10_000)
            _ = await transfer.receive(into: sink)
            #expect(sink.bytes.elementsEqual(TestContent(seed: 1).bytes(0..<10_000)))
        }
    }

    // With TLS 1.3, session tickets arrive over a connection before its first request.
    @Test(
        "a connection that was opened in advance serves the next request",
        arguments: CurlGlobal.keepsUnusedTLS ? ["", "TLSv1.2", "TLSv1.3"] : [""])
    func early(tls: String) async throws {
        let authority = try await TestAuthority()
        let isEncrypted = !tls.isEmpty
        let nginx = try await Nginx(
            server: """
                \(authority.nginx) \(isEncrypted ? "ssl_protocols \(tls);" : "")
                location / { add_header X-Requests $connection_requests; return 200 'text'; }
                """, listen: isEncrypted ? "ssl" : "")
        var transport = Transport()
        transport.certificateAuthorities = .init(authority.certificate)
        try await withEngine(transport) { engine in
            let url = nginx.url("file", scheme: isEncrypted ? "https" : "http")
            var request = TransferRequest(url: url, range: .none)
            request.host = "host"
            let connections = (0..<3).map { _ in
                let ended = AsyncEvent()
                _ = engine.connect(request) { ended.send() }
                return ended
            }
            for ended in connections { #expect(await ended.wait()) }
            let transfers = try await withThrowingTaskGroup(of: (any OpenTransfer).self) { [request] group in
                for _ in 0..<3 { group.addTask { try await engine.open(request) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(transfers.allSatisfy { !$0.isFirst })
            // Each is the first request of its connection, which is in use until its body is received.
            #expect(transfers.map { $0.head["x-requests"] } == ["1", "1", "1"])
            let refused = AsyncEvent()
            _ = engine.connect(TransferRequest(url: "http://127.0.0.1:1/", range: .none)) { refused.send() }
            #expect(await refused.wait())
        }
    }

    @Test("a request reports the round trip of the connection that was opened for it")
    func reports() async throws {
        let server = try await SharedServer.scenario()
        try await withEngine { engine in
            let reported = Lock<[Double]>([])
            var request = TransferRequest(url: server.url("plain", 1), range: .none)
            request.host = "host"
            request.onConnect = { roundTrip in reported.withLock { $0.append(roundTrip) } }
            for _ in 0..<2 { _ = await (try await engine.open(request)).receive(into: Fixed { .more }) }
            // The second request uses the same connection.
            #expect(reported.withLock { $0.count == 1 && $0[0] > 0 && $0[0] < 10 })
        }
    }

    @Test("a released response closes its connection")
    func letGo() async throws {
        let server = try await SharedServer.scenario()
        try await withEngine { engine in
            do {
                let transfer = try await engine.open(
                    TransferRequest(url: server.url("plain", 10_000_000, "rate=100000"), range: .from(0)))
                #expect(transfer.head.status == 206)
            }
            _ = try await engine.open(TransferRequest(url: server.url("plain", 1), range: .none))
            let peak = try await server.peak()
            #expect(peak.peakConcurrent == 1, "\(peak)")
        }
    }
}
