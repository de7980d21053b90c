internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket

/// The limits on the size and duration of a connection's messages.
enum ConnectionLimits {
    /// The maximum size of a request body or a WebSocket message, in bytes. Equal to aria2's
    /// `--rpc-max-request-size`.
    static let body = 2 << 20
    /// The maximum number of simultaneous connections.
    static let connections = 1_000
    /// The timeout for receiving a whole head, from the connection or the last response.
    static let head = TimeAmount.seconds(60)
    /// The timeout from a head to the end of its body.
    static let bodyTime = TimeAmount.seconds(30)
    /// The time between the response to a partly read request and closing the connection.
    static let linger = TimeAmount.seconds(1)
    /// The timeout for a client that reads none of its pending data.
    static let stall = TimeAmount.seconds(60)

    static var decoder: NIOHTTPDecoderLimitConfiguration {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = 32 << 10
        limits.maxHeaderListSize = 64 << 10
        limits.maxHeaderFieldCount = 100
        return limits
    }
}

/// Closes a connection whose request arrives too slowly, so that slow clients cannot occupy all connections.
final class RequestDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private var alarm: Scheduled<Void>?

    func handlerAdded(context: ChannelHandlerContext) {
        arm(ConnectionLimits.head, context)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        alarm?.cancel()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.fireErrorCaught(error)
        // The response has been sent.
        context.close(promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch Self.unwrapInboundIn(data) {
        case .head: arm(ConnectionLimits.bodyTime, context)
        case .body: break
        case .end: alarm?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = Self.unwrapOutboundIn(data) { arm(ConnectionLimits.head, context) }
        context.write(data, promise: promise)
    }

    private func arm(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        alarm?.cancel()
        let channel = context.channel
        alarm = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}

/// Closes a connection whose client reads none of its pending data.
final class StallGuard: ChannelInboundHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny

    private var alarm: Scheduled<Void>?

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        alarm?.cancel()
        if !context.channel.isWritable {
            let channel = context.channel
            alarm = context.eventLoop.scheduleTask(in: ConnectionLimits.stall) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }
}

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
