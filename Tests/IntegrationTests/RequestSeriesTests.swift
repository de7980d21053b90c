import TestContent
import TestSupport
import Testing

@testable import SegmentedDL

@Suite("Requests that the engine sends on while nothing has changed", .timeLimit(.minutes(5)))
struct RequestSeriesTests {
    private let server: TestServerProcess.Scenario
    private let engine: CurlEngine

    init() async throws {
        server = try await SharedServer.scenario()
        var transport = Transport()
        // However slow the machine is, here and below: nobody but the tests ends what the server holds.
        transport.lowSpeedLimit = 0
        engine = try CurlEngine(transport: transport, maxConnections: 4)
    }

    private func request(_ behaviour: String = "status", _ query: String = "code=304") -> TransferRequest {
        var request = TransferRequest(url: server.url(behaviour, 10_000, query), range: .from(0))
        request.prefetch = 10_000
        request.patience = 60
        return request
    }

    @Test("all go over one connection, and none is forgotten")
    func allUnchanged() async throws {
        let answer = await engine.open(Array(repeating: request(), count: 40), for: .infinity)
        #expect(answer.unchanged == 40 && answer.next == nil)
        #expect(try await server.requests().map(\.status) == Array(repeating: 304, count: 40))
        #expect(try await server.peak().connections == 1)
        await engine.shutdown()
    }

    @Test(
        "a later one goes on with the connection of an earlier one, although another thread has as little to do"
    )
    func keepsConnection() async throws {
        // To libcurl another host.
        var held = request("stall-head", "times=9")
        held.url = held.url.replacing("127.0.0.1", with: "localhost")
        held.host = "localhost"
        let holding = Task { [held] in try await engine.open(held) }
        while try await server.peak().requests < 1 { await Task.yield() }
        #expect(await engine.open([request()], for: .infinity).unchanged == 1)
        holding.cancel()
        await #expect(throws: CancellationError.self) { try await holding.value }
        await engine.settle()
        #expect(await engine.open([request()], for: .infinity).unchanged == 1)
        #expect(try await server.peak().connections == 2)
        await engine.shutdown()
    }

    @Test("several at a time have no more connections than there are of them, however they follow each other")
    func severalAtATime() async throws {
        let (series, single) = ([request(), request()], request("plain", ""))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                group.addTask {
                    for turn in 0..<60 {
                        if (turn + number).isMultiple(of: 3) {
                            let body = try await engine.open(single).body
                            #expect(body?.count == 10_000)
                        } else {
                            #expect(await engine.open(series, for: .infinity).unchanged == 2)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await server.peak().connections <= 4)
        await engine.shutdown()
    }

    @Test("another answer ends it, with its body, and later ones are not asked for", arguments: [0, 3])
    func changed(before: Int) async throws {
        let unchanged = Array(repeating: request(), count: before)
        let answer = await engine.open(unchanged + [request("plain", ""), request()], for: .infinity)
        #expect(answer.unchanged == before)
        let next = try #require(try answer.next?.get())
        #expect(next.head.status == 206)
        #expect(next.body?.elementsEqual(TestContent(seed: 1).bytes(0..<10_000)) ?? false)
        #expect(try await server.requests().count == before + 1)
        await engine.shutdown()
    }

    @Test("a body that is long is held back as that of any transfer")
    func longBody() async throws {
        var long = request("plain", "")
        long.prefetch = 1
        let answer = await engine.open([request(), long], for: .infinity)
        let next = try #require(try answer.next?.get())
        #expect(answer.unchanged == 1 && next.body == nil)
        let sink = MemorySink(capacity: 10_000)
        #expect(await next.receive(into: sink).error == nil)
        #expect(sink.bytes.elementsEqual(TestContent(seed: 1).bytes(0..<10_000)))
        await engine.shutdown()
    }

    @Test("a request that is not answered ends it, and says so")
    func lost() async throws {
        let answer = await engine.open(
            [request(), request("hang-up-before-head", "times=9"), request()], for: .infinity)
        #expect(answer.unchanged == 1)
        let error = #expect(throws: EngineError.self) { try answer.next?.get() }
        #expect(error?.kind == .lost)
        await engine.shutdown()
    }

    @Test("once its time is over the next one is not sent")
    func timeIsOver() async throws {
        let answer = await engine.open([request(), request(), request()], for: 0)
        #expect(answer.unchanged == 1 && answer.next == nil)
        #expect(try await server.requests().count == 1)
        await engine.shutdown()
    }

    @Test(
        "a cancellation or a shutdown ends it, and what was answered before counts", arguments: [true, false])
    func ended(isCancelled: Bool) async throws {
        let requests = [request(), request("stall-head", "times=9"), request()]
        let work = Task { await engine.open(requests, for: .infinity) }
        while try await server.peak().requests < 2 { await Task.yield() }
        if isCancelled { work.cancel() } else { await engine.shutdown() }
        let answer = await work.value
        #expect(answer.unchanged == 1)
        #expect(throws: CancellationError.self) { try answer.next?.get() }
        #expect(try await server.requests().count == 2)
        await engine.shutdown()
    }
}
