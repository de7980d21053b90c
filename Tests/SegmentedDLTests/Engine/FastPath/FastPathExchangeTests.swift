import TestSupport
import Testing

@testable import SegmentedDL

@Suite("One small file after another over a connection")
struct FastPathExchangeTests {
    private func receive(_ text: String, _ exchange: inout FastPathExchange) {
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
            exchange.begin()
            let bytes = Array(("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + answer(text)).utf8)
            for chunk in Chunks.of(bytes, size: size) {
                #expect(exchange.takeAnswer() == nil)
                chunk.withUnsafeBytes { exchange.receive($0) }
            }
            #expect(body(exchange.takeAnswer()) == text)
            #expect(exchange.takeAnswer() == nil && !exchange.isEnding)
        }
    }

    @Test("bytes behind an answer, or without a request, end the connection")
    func surplus() {
        var behind = FastPathExchange()
        behind.begin()
        receive(answer("one") + answer("two"), &behind)
        #expect(body(behind.takeAnswer()) == "one" && behind.isEnding)
        var later = FastPathExchange()
        later.begin()
        receive(answer("one"), &later)
        #expect(body(later.takeAnswer()) == "one" && !later.isEnding)
        receive("x", &later)
        #expect(later.isEnding && later.takeAnswer() == nil)
    }

    @Test("the end that a server announces ends the connection behind its answer")
    func closing() {
        var exchange = FastPathExchange()
        exchange.begin()
        receive(answer("one", "Connection: close\r\n"), &exchange)
        #expect(body(exchange.takeAnswer()) == "one" && exchange.isEnding)
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
        receive("HTTP/1.1 200 OK\r\n\(fields)\r\nabc", &exchange)
        guard case .otherwise(let head)? = exchange.takeAnswer() else {
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
        receive(text, &exchange)
        #expect(exchange.takeAnswer() == .malformed && exchange.isEnding)
    }

    @Test("an endless row of interim answers, or another protocol, is no answer")
    func interim() {
        for text in [String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 9), "HTTP/1.1 101 X\r\n\r\n"] {
            var exchange = FastPathExchange()
            exchange.begin()
            receive(text, &exchange)
            guard case .otherwise? = exchange.takeAnswer() else {
                Issue.record("\(text)")
                continue
            }
            #expect(exchange.isEnding)
        }
    }
}
