import Testing

@testable import SegmentedDL

@Suite("Pipelined requests for files")
struct FetchPipelineTests {
    /// Returns a pipeline with requests from 1 on, by default as many as are sent at first.
    private func pipeline(_ count: Int = FetchPipeline.window.first) -> FetchPipeline {
        var pipeline = FetchPipeline()
        for number in 1...count { pipeline.add(number, Array("\(number) ".utf8)) }
        return pipeline
    }

    private func sent(_ pipeline: inout FetchPipeline) -> [Int] {
        String(decoding: pipeline.bytesToSend(), as: UTF8.self).split(separator: " ").compactMap { Int($0) }
    }

    private func receive(_ text: String, _ pipeline: inout FetchPipeline) -> [FetchPipeline.Delivery] {
        Array(text.utf8).withUnsafeBytes { pipeline.receive($0) }
    }

    private func answer(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func ids(_ deliveries: [FetchPipeline.Delivery], answered: Bool) -> [Int] {
        deliveries.filter { ($0.outcome != .unanswered) == answered }.map(\.id)
    }

    private func body(_ delivery: FetchPipeline.Delivery?) -> String? {
        guard case .answered(_, let body)? = delivery?.outcome else { return nil }
        return String(decoding: body, as: UTF8.self)
    }

    @Test("responses match the requests in order, however they arrive", arguments: [1, 7, 1000])
    func order(size: Int) {
        var pipeline = pipeline(3)
        #expect(sent(&pipeline) == [1, 2, 3])
        let text =
            answer("one") + "HTTP/1.1 103 Early Hints\r\n\r\n" + answer("")
            + answer("three\r\n\r\nHTTP/1.1 200")
        var rest = Array(text.utf8)[...]
        var deliveries: [FetchPipeline.Delivery] = []
        while !rest.isEmpty {
            deliveries += rest.prefix(size).withUnsafeBytes { pipeline.receive($0) }
            rest = rest.dropFirst(size)
        }
        #expect(deliveries.map(\.id) == [1, 2, 3])
        #expect(deliveries.map { body($0) } == ["one", "", "three\r\n\r\nHTTP/1.1 200"])
        #expect(!pipeline.isBroken && !pipeline.hasRequests)
    }

    @Test("each response makes room for two more, up to the window")
    func window() {
        var pipeline = pipeline(300)
        var under = sent(&pipeline).count
        #expect(under == FetchPipeline.window.first)
        for _ in 0..<100 {
            under -= receive(answer("x"), &pipeline).count
            let more = sent(&pipeline).count
            #expect(more <= 2)
            under += more
        }
        #expect(under == FetchPipeline.window.last)
    }

    @Test(
        "disorder returns all requests, and ends it",
        arguments: [
            "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", "nonsense\r\n", "\r\n\r\n",
            "HTTP/1.1 200 OK\r\nVia: 1.1 x\r\nContent-Length: 1\r\n\r\nx",
            String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9),
        ])
    func disorder(text: String) {
        var pipeline = pipeline(9)
        _ = sent(&pipeline)
        let deliveries = receive(answer("one") + text, &pipeline)
        #expect(ids(deliveries, answered: true) == [1])
        #expect(ids(deliveries, answered: false) == Array(2...9))
        #expect(pipeline.isBroken && !pipeline.hasRequests)
        #expect(sent(&pipeline).isEmpty)
    }

    @Test("an unexpected response ends it")
    func unasked() {
        var pipeline = pipeline(1)
        _ = sent(&pipeline)
        #expect(ids(receive(answer("one") + answer("one"), &pipeline), answered: true) == [1])
        #expect(pipeline.isBroken)
    }

    @Test(
        "a response that is not a short body is left to an ordinary request, once",
        arguments: [
            "Transfer-Encoding: chunked\r\n", "Content-Length: 65537\r\n", "",
            "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: +1\r\n",
            "Content-Length: 1, 1\r\n",
            "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        ])
    func long(fields: String) {
        var pipeline = pipeline(5)
        _ = sent(&pipeline)
        let head = "HTTP/1.1 200 OK\r\n\(fields)\r\n"
        let first = receive(head + "whatever", &pipeline)
        #expect(ids(first, answered: false) == [1] && first.count == 1)
        #expect(pipeline.isEnding && !pipeline.isBroken)
        #expect(pipeline.disconnected().isEmpty)
        pipeline.connect()
        #expect(sent(&pipeline) == [2, 3, 4, 5])
        #expect(ids(receive(head, &pipeline), answered: false) == [2, 3, 4, 5])
        #expect(pipeline.isBroken)
    }

    @Test("requests left unanswered by an orderly close are sent again over the next connection")
    func closes() {
        var pipeline = pipeline(6)
        _ = sent(&pipeline)
        let first = receive(answer("one") + answer("two", "Connection: close\r\n") + "rest", &pipeline)
        #expect(ids(first, answered: true) == [1, 2])
        #expect(pipeline.isEnding && sent(&pipeline).isEmpty)
        #expect(pipeline.disconnected().isEmpty)
        pipeline.connect()
        #expect(sent(&pipeline) == [3, 4, 5, 6])
        #expect(body(receive(answer("three"), &pipeline).first) == "three")
    }

    @Test("a lost connection ends it, unless many responses preceded", arguments: [15, 16])
    func lost(answers: Int) {
        var pipeline = pipeline(100)
        _ = sent(&pipeline)
        for _ in 0..<answers {
            _ = receive(answer("x"), &pipeline)
            _ = sent(&pipeline)
        }
        let isOrderly = answers >= FetchPipeline.minimumAnswers
        let deliveries = pipeline.disconnected()
        #expect(deliveries.map(\.id) == (isOrderly ? [] : Array((answers + 1)...100)))
        #expect(pipeline.isBroken == !isOrderly)
    }

    @Test("a connection lost within a response ends it")
    func lostInside() {
        var pipeline = pipeline(40)
        _ = sent(&pipeline)
        for _ in 0..<20 {
            _ = receive(answer("x"), &pipeline)
            _ = sent(&pipeline)
        }
        #expect(receive("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n1234", &pipeline).isEmpty)
        #expect(pipeline.disconnected().map(\.id) == Array(21...40))
        #expect(pipeline.isBroken)
    }

    @Test("a cancelled request is not sent, or its response is dropped")
    func givenUp() {
        var pipeline = pipeline(5)
        #expect(sent(&pipeline) == [1, 2, 3, 4])
        pipeline.remove(2)
        pipeline.remove(5)
        let deliveries = receive(answer("one") + answer("two") + answer("three"), &pipeline)
        #expect(deliveries.map(\.id) == [1, 3])
        #expect(deliveries.map { body($0) } == ["one", "three"])
        #expect(sent(&pipeline).isEmpty)
    }

    @Test("a connection is not needed for the responses to cancelled requests alone")
    func needed() {
        var pipeline = pipeline(3)
        #expect(pipeline.isNeeded)
        #expect(sent(&pipeline) == [1, 2, 3])
        for id in 1...3 {
            #expect(pipeline.isNeeded)
            pipeline.remove(id)
        }
        #expect(!pipeline.isNeeded && pipeline.hasRequests)
        // After the connection was closed for another one, the next request is the first one of a new one.
        pipeline.add(4, Array("4 ".utf8))
        #expect(pipeline.isNeeded)
        pipeline.connect()
        #expect(sent(&pipeline) == [4])
        #expect(receive(answer("four"), &pipeline).map(\.id) == [4])
    }

    @Test(
        "refusals and unchanged files are responses",
        arguments: ["404 Not Found", "304 Not Modified", "204 x"])
    func statuses(status: String) {
        var pipeline = pipeline(2)
        _ = sent(&pipeline)
        let length = status.hasPrefix("4") ? "Content-Length: 0\r\n" : ""
        let deliveries = receive("HTTP/1.1 \(status)\r\n\(length)\r\n" + answer("two"), &pipeline)
        #expect(deliveries.map { body($0) } == ["", "two"])
    }
}
