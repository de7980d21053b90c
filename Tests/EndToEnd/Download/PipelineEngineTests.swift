import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Pipelined revalidation requests over one connection", .timeLimit(.minutes(10)))
struct PipelineEngineTests {
    private static let count = 100
    private let log: TestSupport.TemporaryDirectory

    init() throws {
        log = try TestSupport.TemporaryDirectory()
    }

    private func engine(_ change: (inout Transport) -> Void = { _ in }) throws -> CurlEngine {
        var transport = Transport()
        // On any machine, only the tests end what a server holds back.
        transport.lowSpeedLimit = 0
        transport.userAgent = "questioner"
        change(&transport)
        return try CurlEngine(transport: transport, maxConnections: 4)
    }

    private func nginx(_ server: String = "", listen: String = "") async throws -> Nginx {
        let nginx = try await Nginx(
            http: "log_format questions '$connection $request_method $status $http_x_mine $http_user_agent';",
            server: "access_log \(log.file("log")) questions; \(server)", listen: listen)
        for number in 0..<Self.count { try nginx.root.write("content \(number)", to: "\(number)") }
        return nginx
    }

    /// Returns questions about copies of its files; those with odd numbers have changed.
    private func questions(to nginx: Nginx, _ url: String? = nil) throws -> ConditionalRequests {
        let start = try Source(url ?? nginx.url(""))
        let questions = try (0..<Self.count).map { number in
            let place = nginx.root.file("\(number)")
            let attributes = try FileManager.default.attributesOfItem(atPath: place)
            let date = try #require(attributes[.modificationDate] as? Date)
            let size = number.isMultiple(of: 2) ? try #require(attributes[.size] as? Int) : 1
            // In nginx's format.
            let tag = "\"\(String(Int(date.timeIntervalSince1970), radix: 16))-\(String(size, radix: 16))\""
            return try #require(
                ConditionalRequests.Request(Source("\(start.url)\(number)"), if: .etag(tag)))
        }
        return ConditionalRequests(to: start.origin, headers: [HTTPHeader("X-Mine", "mine")], questions)
    }

    /// nginx may log them a moment after it has responded.
    private func requests(_ count: Int) async throws -> [[Substring]] {
        while true {
            let lines = try String(decoding: log.read("log"), as: UTF8.self).split(separator: "\n")
            if lines.count >= count { return lines.map { $0.split(separator: " ") } }
            await Task.yield()
        }
    }

    private func expectAnswers(_ said: ConditionalAnswers, _ count: Int = count) throws {
        let wanted = (0..<Self.count).map { number -> ConditionalAnswers.Answer in
            number >= count ? .none : number.isMultiple(of: 2) ? .unchanged : .other
        }
        #expect(said.answers == wanted && !said.wasUseless && !said.isCancelled)
    }

    @Test("all are answered, including those of changed files, and none is sent twice")
    func answers() async throws {
        let (nginx, engine) = (try await nginx(), try engine())
        try expectAnswers(await engine.ask(questions(to: nginx), for: .infinity))
        await engine.shutdown()
        let requests = try await requests(Self.count)
        #expect(requests.count == Self.count && Set(requests.map { $0[0] }).count == 1)
        #expect(requests.map { $0[2] } == (0..<Self.count).map { $0.isMultiple(of: 2) ? "304" : "200" })
        #expect(requests.allSatisfy { $0[1] == "HEAD" && $0[3...] == ["mine", "questioner"] })
    }

    @Test("works over TLS, but not with an untrusted server", arguments: [true, false])
    func encrypted(isKnown: Bool) async throws {
        let authority = try await TestAuthority()
        let nginx = try await self.nginx(authority.nginx, listen: "ssl")
        let engine = try engine { if isKnown { $0.certificateAuthorities = .init(authority.certificate) } }
        let said = try await engine.ask(questions(to: nginx, nginx.url("", scheme: "https")), for: .infinity)
        if isKnown {
            try expectAnswers(said)
        } else {
            #expect(said.wasUseless && said.answers.allSatisfy { $0 == .none })
            #expect(try await requests(0).isEmpty)
        }
        await engine.shutdown()
    }

    @Test("continues over a new connection if the server closes one occasionally")
    func endsConnections() async throws {
        let (nginx, engine) = (try await nginx("keepalive_requests 40;"), try engine())
        try expectAnswers(await engine.ask(questions(to: nginx), for: .infinity), 40)
        await engine.shutdown()
    }

    @Test("stops sending when its time limit expires")
    func timeIsOver() async throws {
        let (nginx, engine) = (try await nginx(), try engine())
        let said = try await engine.ask(questions(to: nginx), for: 0)
        await engine.shutdown()
        let count = said.answers.count { $0 != .none }
        #expect((1..<Self.count).contains(count))
        try expectAnswers(said, count)
        #expect(try await requests(count).count == count)
    }

    @Test("several at a time have a connection each, and leave none open")
    func severalAtATime() async throws {
        let (nginx, engine) = (
            try await nginx("location = /open { stub_status; access_log off; }"), try engine()
        )
        let questions = try questions(to: nginx)
        try await withThrowingTaskGroup(of: ConditionalAnswers.self) { group in
            for _ in 0..<8 { group.addTask { try await engine.ask(questions, for: .infinity) } }
            for try await said in group { try expectAnswers(said) }
        }
        #expect(try await Set(requests(8 * Self.count).map { $0[0] }).count == 8)
        // nginx may detect it a moment later.
        var request = TransferRequest(
            url: nginx.url("open"), range: .none, prefetch: 1000, prefetchSeconds: 60)
        request.host = "open"
        var status = ""
        repeat {
            status = String(decoding: try await engine.open(request).body ?? [], as: UTF8.self)
        } while !status.hasPrefix("Active connections: 1 ")
        await engine.shutdown()
    }

    @Test(
        "is useless without a server, or with one that closes each connection",
        arguments: [true, false])
    func useless(isThere: Bool) async throws {
        let (server, engine) = (try await SharedServer.scenario(), try engine())
        let url = isThere ? server.url("hang-up-before-head", 10, "times=9") : "http://127.0.0.1:1/file"
        let said = try await engine.ask(batch(url), for: .infinity)
        #expect(said.wasUseless && said.answers == [.none, .none])
        await engine.shutdown()
    }

    private func batch(_ url: String) throws -> ConditionalRequests {
        let source = try Source(url)
        let question = try #require(ConditionalRequests.Request(source, if: .etag("\"x\"")))
        return ConditionalRequests(to: source.origin, headers: [], [question, question])
    }

    @Test("gives up on a silent server after the same timeout as a transfer")
    func silence() async throws {
        let server = try await SharedServer.scenario()
        let engine = try engine { ($0.lowSpeedLimit, $0.lowSpeedTime) = (1, .seconds(1)) }
        let said = try await engine.ask(batch(server.url("stall-head", 10, "times=9")), for: .infinity)
        #expect(said.wasUseless && said.answers == [.none, .none])
        await engine.shutdown()
    }

    @Test("is ended by a cancellation or a shutdown", arguments: [true, false])
    func ended(isCancelled: Bool) async throws {
        let (server, engine) = (try await SharedServer.scenario(), try engine())
        let batch = try batch(server.url("stall-head", 10, "times=9"))
        let work = Task { try await engine.ask(batch, for: .infinity) }
        while try await server.peak().requests < 1 { await Task.yield() }
        if isCancelled { work.cancel() } else { await engine.shutdown() }
        let said = try await work.value
        #expect(said.isCancelled && said.answers == [.none, .none])
        await engine.shutdown()
        await #expect(throws: CancellationError.self) { try await engine.ask(batch, for: .infinity) }
    }
}
