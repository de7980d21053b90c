/// A whole response, or the beginning of a stream.
package struct HTTPAnswer: Sendable {
    package enum Body: Sendable {
        case bytes([UInt8])
        /// A closure that sends the parts; the response ends when it returns.
        case stream(@Sendable (@escaping Send) async throws -> Void)
    }

    /// Sends a part of a response, waiting while the reader is slow.
    package typealias Send = @Sendable ([UInt8]) async throws -> Void

    package var status: Int
    package var fields: [(name: String, value: String)]
    package var body: Body

    package init(_ status: Int, type: String, _ body: Body) {
        self.status = status
        fields = [("Content-Type", type)]
        self.body = body
    }

    package static func text(_ status: Int, _ text: String) -> HTTPAnswer {
        HTTPAnswer(status, type: "text/plain; charset=utf-8", .bytes(Array((text + "\n").utf8)))
    }

    package static func json(_ status: Int, _ body: [UInt8]) -> HTTPAnswer {
        HTTPAnswer(status, type: "application/json", .bytes(body))
    }

    /// A response without content, for a preflight request (Fetch standard, 3.2.2).
    package static let empty: HTTPAnswer = {
        var answer = HTTPAnswer(204, type: "", .bytes([]))
        answer.fields = []
        return answer
    }()

    /// The response to a method that the path does not support.
    package static func methodNotAllowed(_ allowed: String) -> HTTPAnswer {
        var answer = HTTPAnswer.text(405, "This path supports only \(allowed).")
        answer.fields.append(("Allow", allowed))
        return answer
    }
}
