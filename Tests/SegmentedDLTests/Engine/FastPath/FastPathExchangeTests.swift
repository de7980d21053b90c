import TestSupport
import Testing

@testable import SegmentedDL

@Suite("One small file after another over a connection")
struct FastPathExchangeTests {
    private func receive(_ text: String, _ exchange: inout FastPathExchange) -> [FastPathExchange.Answer] {
        Array(text.utf8).withUnsafeBytes { exchange.receive($0) }
    }

    private func answer(_ body: String, _ fields: String = "") -> String {
        "HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    private func body(_ answer: FastPathExchange.Answer?) -> String? {
        guard case .complete(_, let body)? = answer else { return nil }
        return String(decoding: body, as: UTF8.self)
    }

    @Test("each answer belongs to its request, however it comes", arguments: Chunks.sizes)
    func answers(size: Int) {
        var exchange = FastPathExchange()
        for text in ["one", "", "three\r\n\r\nHTTP/1.1 200"] {
            #expect(exchange.hasRoom)
            exchange.begin()
            #expect(!exchange.hasRoom)
            let bytes = Array(("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + answer(text)).utf8)
            let answers = Chunks.of(bytes, size: size).flatMap { chunk in
                chunk.withUnsafeBytes { exchange.receive($0) }
            }
            #expect(answers.map { body($0) } == [text] && !exchange.isEnding)
        }
    }

    @Test("files with a known digest are requested ahead, more of them with each answer")
    func ahead() {
        var exchange = FastPathExchange()
        func fill() -> Int {
            var count = 0
            while exchange.hasRoom {
                exchange.begin(isVouchedFor: true)
                count += 1
            }
            return count
        }
        #expect(fill() == FetchPipeline.window.first)
        let answers = receive(answer("one") + answer("two"), &exchange)
        #expect(answers.map { body($0) } == ["one", "two"])
        #expect(fill() == 4 && exchange.awaited == FetchPipeline.window.first + 2)
        for _ in 0..<100 {
            _ = receive(answer("x"), &exchange)
            _ = fill()
        }
        #expect(exchange.awaited == FetchPipeline.window.last && !exchange.isEnding)
    }

    @Test("none is requested behind one without a digest")
    func alone() {
        var exchange = FastPathExchange()
        exchange.begin(isVouchedFor: true)
        #expect(exchange.hasRoom)
        exchange.begin()
        #expect(!exchange.hasRoom)
    }

    @Test("requests without an answer may be sent again after an end in good order")
    func orderly() {
        func end(_ text: String, answered: Int = 0) -> Bool {
            var exchange = FastPathExchange()
            for _ in 0..<answered {
                exchange.begin()
                _ = receive(answer("x"), &exchange)
            }
            exchange.begin(isVouchedFor: true)
            exchange.begin(isVouchedFor: true)
            _ = receive(text, &exchange)
            return exchange.isOrderly
        }
        #expect(end(answer("one", "Connection: close\r\n")))
        #expect(end("", answered: FetchPipeline.minimumAnswers))
        #expect(!end("", answered: FetchPipeline.minimumAnswers - 1))
        #expect(!end("HTTP/1.1 2", answered: FetchPipeline.minimumAnswers))
        #expect(!end("nonsense\r\n", answered: FetchPipeline.minimumAnswers))
    }

    @Test("bytes behind an answer, or without a request, end the connection")
    func surplus() {
        var behind = FastPathExchange()
        behind.begin()
        #expect(receive(answer("one") + answer("two"), &behind).map { body($0) } == ["one"])
        #expect(behind.isEnding && !behind.hasRoom)
        var later = FastPathExchange()
        later.begin()
        #expect(receive(answer("one"), &later).map { body($0) } == ["one"] && !later.isEnding)
        #expect(receive("x", &later).isEmpty && later.isEnding)
    }

    @Test("the end that a server announces ends the connection behind its answer")
    func closing() {
        var exchange = FastPathExchange()
        exchange.begin()
        #expect(receive(answer("one", "Connection: close\r\n"), &exchange).map { body($0) } == ["one"])
        #expect(exchange.isEnding)
    }

    @Test(
        "an answer whose end a short length alone does not show is not read",
        arguments: [
            "Content-Length: 65537\r\n", "", "Transfer-Encoding: chunked\r\n",
            "Content-Length: 3\r\nTransfer-Encoding: identity\r\n",
            "Content-Length: 3\r\nContent-Length: 4\r\n", "Content-Length: 3\r\nContent-Length: 3\r\n",
            "Content-Length: +3\r\n", "Content-Length: 3, 3\r\n", "Content-Length: -3\r\n",
            "Content-Length: 99999999999999999999\r\n",
        ])
    func otherwise(fields: String) {
        var exchange = FastPathExchange()
        exchange.begin()
        let answers = receive("HTTP/1.1 200 OK\r\n\(fields)\r\nabc", &exchange)
        guard case .otherwise(let head)? = answers.first, answers.count == 1 else {
            Issue.record("it was read")
            return
        }
        #expect(head.status == 200 && exchange.isEnding)
    }

    @Test(
        "a head that libcurl may read otherwise is none",
        arguments: [
            "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nabc", "HTTP/2 200\r\nContent-Length: 3\r\n\r\nabc",
            "abc\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n folded\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nno colon\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nX: a\u{0}b\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc",
        ])
    func malformed(text: String) {
        var exchange = FastPathExchange()
        exchange.begin()
        #expect(receive(text, &exchange) == [.malformed] && exchange.isEnding)
    }

    @Test("an endless row of interim answers, or another protocol, is no answer")
    func interim() {
        for text in [String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9), "HTTP/1.1 101 X\r\n\r\n"] {
            var exchange = FastPathExchange()
            exchange.begin()
            #expect(receive(text, &exchange) == [.malformed] && exchange.isEnding)
        }
    }
}
