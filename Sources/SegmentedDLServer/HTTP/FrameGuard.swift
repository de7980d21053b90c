internal import NIOCore
internal import NIOWebSocket

/// Closes a WebSocket whose client sends a frame without a mask, with extension bits, or of an unknown kind
/// (RFC 6455, 5.1 and 5.2).
final class FrameGuard: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private static let opcodes: Set<WebSocketOpcode> = [
        .continuation, .text, .binary, .connectionClose, .ping, .pong,
    ]

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3, Self.opcodes.contains(frame.opcode)
        else {
            var code = ByteBuffer()
            code.write(webSocketErrorCode: .protocolError)
            let close = WebSocketFrame(fin: true, opcode: .connectionClose, data: code)
            context.writeAndFlush(Self.wrapOutboundOut(close), promise: nil)
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
