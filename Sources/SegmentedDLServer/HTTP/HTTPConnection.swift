internal import NIOCore
internal import NIOHTTP1

/// A connection that carries requests, one after the other.
struct HTTPConnection: Sendable {
    typealias Channel = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>

    let channel: Channel
    let router: Router

    func serve() async throws {
        try await channel.executeThenClose { parts, writer in
            var request: (head: HTTPRequestHead, body: ByteBuffer)?
            for try await part in parts {
                switch part {
                case .head(let head):
                    request = (head, ByteBuffer())
                case .body(var bytes):
                    request?.body.writeBuffer(&bytes)
                    guard let read = request, read.body.readableBytes > ConnectionLimits.body else {
                        continue
                    }
                    try await write(Self.tooLarge, to: read.head, isLast: true, writer)
                    return
                case .end:
                    guard let (head, body) = request else { return }
                    let answer = await router.answer(HTTPRequest(head, body))
                    let isLast = !head.isKeepAlive
                    try await write(answer, to: head, isLast: isLast, writer)
                    if isLast { return }
                    request = nil
                }
            }
        }
    }

    private static let tooLarge = HTTPAnswer.text(
        413, "The request has more than \(ConnectionLimits.body >> 20) MiB; send it in parts.")

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
        case .stream(let elements):
            let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
            try await writer.write(.head(head))
            for await element in elements {
                try await writer.write(.body(.byteBuffer(ByteBuffer(bytes: element))))
            }
        }
        guard isLast else { return try await writer.write(.end(nil)) }
        // The connection is closed behind it: that drops all bytes that the system has not taken yet.
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
