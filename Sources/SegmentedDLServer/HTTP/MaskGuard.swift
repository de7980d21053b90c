internal import NIOCore
internal import NIOWebSocket

/// Closes a WebSocket whose client sends a frame without a mask (RFC 6455, 5.1).
final class MaskGuard: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias InboundOut = WebSocketFrame

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard Self.unwrapInboundIn(data).maskKey != nil else {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
