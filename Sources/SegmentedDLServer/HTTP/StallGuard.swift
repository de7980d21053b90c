internal import NIOCore

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
