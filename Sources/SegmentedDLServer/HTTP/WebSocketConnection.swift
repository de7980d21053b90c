internal import NIOCore
internal import NIOWebSocket

/// A WebSocket (RFC 6455) that carries calls, their responses, and all notifications.
struct WebSocketConnection: Sendable {
    typealias Channel = NIOAsyncChannel<WebSocketFrame, WebSocketFrame>
    private typealias Writer = NIOAsyncChannelOutboundWriter<WebSocketFrame>

    let channel: Channel
    let rpc: RPCService

    func serve() async throws {
        try await channel.executeThenClose { frames, writer in
            let notifications = rpc.notifications()
            try await withThrowingTaskGroup { group in
                group.addTask {
                    for await text in notifications { try await writer.write(Self.text(text)) }
                }
                group.addTask { try await answer(frames, writer) }
                // Whichever ends first, by closing or by failing, ends the connection.
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func answer(_ frames: NIOAsyncChannelInboundStream<WebSocketFrame>, _ writer: Writer) async throws
    {
        for try await frame in frames {
            switch frame.opcode {
            case .text, .binary:
                try await writer.write(
                    Self.text(await rpc.answer(Array(frame.unmaskedData.readableBytesView)).body))
            case .ping:
                try await writer.write(WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData))
            case .connectionClose:
                var data = frame.unmaskedData
                let code = data.readSlice(length: 2) ?? ByteBuffer()
                try await writer.write(WebSocketFrame(fin: true, opcode: .connectionClose, data: code))
                return
            default:
                break
            }
        }
    }

    private static func text(_ bytes: [UInt8]) -> WebSocketFrame {
        WebSocketFrame(fin: true, opcode: .text, data: ByteBuffer(bytes: bytes))
    }
}
