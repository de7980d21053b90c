internal import NIOCore
internal import NIOHTTP1

/// A connection with sequential requests.
struct HTTPConnection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let channel: Channel
    let responder: any Responder
    let gate: RequestGate

    func serve() async throws {
        try await channel.executeThenClose { parts, writer in
            var request: (head: HTTPRequestHead, body: ByteBuffer)?
            var isRefused = false
            for try await part in parts where !isRefused {
                switch part {
                case .head(let head):
                    if Self.announcesTooMuch(head) {
                        try await refuse(Self.tooLarge, head, writer)
                        isRefused = true
                    }
                    if !isRefused, !gate.isOpen {
                        try await refuse(Self.ending, head, writer)
                        isRefused = true
                    }
                    if !isRefused, Self.waitsToSend(head) {
                        let head = HTTPResponseHead(version: .http1_1, status: .continue)
                        try await writer.write(.head(head))
                    }
                    request = (head, ByteBuffer())
                case .body(var bytes):
                    request?.body.writeBuffer(&bytes)
                    guard let read = request, read.body.readableBytes > ConnectionLimits.body else {
                        continue
                    }
                    try await refuse(Self.tooLarge, read.head, writer)
                    isRefused = true
                case .end:
                    guard let (head, body) = request else { return }
                    if try await answer(head, body, writer) { return }
                    request = nil
                }
            }
        }
    }

    /// - Returns: True if it is the last response on the connection.
    private func answer(
        _ head: HTTPRequestHead, _ body: ByteBuffer,
        _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws -> Bool {
        guard gate.enter() else {
            try await write(Self.ending, to: head, isLast: true, writer)
            return true
        }
        defer { gate.leave() }
        let answer = await responder.answer(HTTPRequest(head, body))
        let isLast = !head.isKeepAlive
        try await write(answer, to: head, isLast: isLast, writer)
        return isLast
    }

    private static let ending = HTTPAnswer.text(
        503, "This process is shutting down; send the request again later.")
    private static let tooLarge = HTTPAnswer.text(
        413, "The request has more than \(ConnectionLimits.body >> 20) MiB; send it in parts.")

    /// True for a body that need not be received, because its announced length exceeds the limit.
    private static func announcesTooMuch(_ head: HTTPRequestHead) -> Bool {
        head.headers["content-length"].contains { Int($0).map { $0 > ConnectionLimits.body } ?? true }
    }

    /// True if the client waits for `100 Continue` before it sends the body (RFC 9110, section 10.1.1).
    private static func waitsToSend(_ head: HTTPRequestHead) -> Bool {
        head.version == .http1_1
            && head.headers["expect"].contains { $0.lowercased() == "100-continue" }
    }

    /// Answers a request before its end, and closes the connection shortly afterwards: while bytes are
    /// unread, the system would drop the response (RFC 9112, section 9.6). The caller continues to read until
    /// then.
    private func refuse(
        _ answer: HTTPAnswer, _ request: HTTPRequestHead,
        _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        try await write(answer, to: request, isLast: true, writer)
        let channel = channel.channel
        channel.close(mode: .output, promise: nil)
        channel.eventLoop.scheduleTask(in: ConnectionLimits.linger) { channel.close(promise: nil) }
    }

    private func write(
        _ answer: HTTPAnswer, to request: HTTPRequestHead, isLast: Bool,
        _ writer: NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>
    ) async throws {
        var headers = HTTPHeaders(answer.fields.map { ($0.name, $0.value) })
        if isLast { headers.add(name: "Connection", value: "close") }
        let status = HTTPResponseStatus(statusCode: answer.status)
        switch answer.body {
        case .bytes(let bytes):
            if answer.status != 204 { headers.add(name: "Content-Length", value: "\(bytes.count)") }
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            try await writer.write(.head(head))
            if !bytes.isEmpty, request.method != .HEAD {
                try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: bytes))))
            }
        case .stream(let body):
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            try await writer.write(.head(head))
            try await body { try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: $0)))) }
        }
        guard isLast else { return try await writer.write(.end(nil)) }
        // The connection is about to be closed, which drops all bytes that the system has not accepted yet.
        try await channel.channel.writeAndFlush(HTTPServerResponsePart.end(nil))
    }
}

extension HTTPRequest {
    init(_ head: HTTPRequestHead, _ body: ByteBuffer = ByteBuffer()) {
        self.init(
            head.method.rawValue, head.uri, fields: head.headers.map { ($0.name, $0.value) },
            body: Array(body.readableBytesView))
    }
}
