internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOWebSocket
package import SegmentedDL
internal import SegmentedDLSupport
internal import SystemPackage

/// The daemon's socket: HTTP/1.1, and WebSockets at the path of aria2's protocol.
package struct HTTPServer: Sendable {
    private enum Connection: Sendable {
        case http(HTTPConnection.Channel)
        case webSocket(WebSocketConnection.Channel, RPCService)
    }

    private typealias Listener = NIOAsyncChannel<EventLoopFuture<Connection>, Never>

    private let listener: Listener
    private let responder: any Responder
    private let open = Lock(0)
    private let gate = RequestGate()
    /// The address, with the actual port.
    package let address: ServerAddress

    /// Starts to listen.
    ///
    /// - Parameter identity: For HTTPS; `nil` for HTTP.
    /// - Throws: `DownloadError` with code `ioFailed`.
    package init(
        _ address: ServerAddress, _ responder: any Responder, identity: ServerIdentity? = nil
    ) async throws(DownloadError) {
        self.responder = responder
        do {
            listener = try await Self.listen(address, responder, identity)
        } catch {
            throw DownloadError(
                .ioFailed,
                "Cannot listen on \(address): \(Self.reason(error))\(Self.advice(error, address)), or choose another address (--listen).",
                cause: error)
        }
        if case .network(let host, 0) = address, let port = listener.channel.localAddress?.port {
            self.address = .network(host: host, port: port)
        } else {
            self.address = address
        }
    }

    /// Serves until the task is cancelled, then closes all connections.
    package func run() async throws {
        try await listener.executeThenClose { connections in
            try await withThrowingDiscardingTaskGroup { group in
                for try await connection in connections {
                    group.addTask { await serve(connection) }
                }
            }
        }
    }

    /// Returns when the current requests are answered; further ones get status 503. `run` continues.
    package func drain() async { await gate.close() }

    private func serve(_ connection: EventLoopFuture<Connection>) async {
        let count = open.withLock {
            $0 += 1
            return $0
        }
        defer { open.withLock { $0 -= 1 } }
        // A broken connection affects only its client.
        try? await serveThrowing(connection, isTooMany: count > ConnectionLimits.connections)
    }

    private func serveThrowing(_ connection: EventLoopFuture<Connection>, isTooMany: Bool) async throws {
        switch try await connection.get() {
        case .http(let channel) where isTooMany: try await channel.executeThenClose { _, _ in }
        case .webSocket(let channel, _) where isTooMany: try await channel.executeThenClose { _, _ in }
        case .http(let channel):
            try await HTTPConnection(channel: channel, responder: responder, gate: gate).serve()
        case .webSocket(let channel, let rpc):
            try await WebSocketConnection(channel: channel, rpc: rpc).serve()
        }
    }

    /// The system's text for an error, without the name of the call that SwiftNIO adds.
    private static func reason(_ error: any Error) -> String {
        (error as? IOError).map { Errno(rawValue: $0.errnoCode).description } ?? "\(error)"
    }

    private static func advice(_ error: any Error, _ address: ServerAddress) -> String {
        guard (error as? IOError)?.errnoCode == Errno.addressInUse.rawValue else {
            return "; use an address of this machine"
        }
        let page = address.page().map { ". If segdl serve runs there already, open \($0)" } ?? ""
        return page + "; otherwise stop the program that uses it"
    }

    private static func listen(
        _ address: ServerAddress, _ responder: any Responder, _ identity: ServerIdentity?
    ) async throws -> Listener {
        // One thread is enough, because the queue and the downloads, which do the work, have their own
        // threads.
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.socketOption(.so_keepalive), value: 1)
        let initialize: @Sendable (any NIOCore.Channel) -> EventLoopFuture<EventLoopFuture<Connection>> = {
            channel in
            channel.eventLoop.makeCompletedFuture {
                if let identity { try channel.pipeline.syncOperations.addHandler(identity.handler) }
                return try configure(channel, responder)
            }
        }
        switch address {
        case .network(let host, let port):
            return try await bootstrap.bind(host: host, port: port, childChannelInitializer: initialize)
        case .unix(let path):
            return try await bootstrap.bind(
                unixDomainSocketPath: path, cleanupExistingSocketFile: true,
                childChannelInitializer: initialize)
        case .descriptor(let descriptor, _):
            return try await bootstrap.bind(descriptor, childChannelInitializer: initialize)
        }
    }

    private static func configure(
        _ channel: any NIOCore.Channel, _ responder: any Responder
    ) throws -> EventLoopFuture<Connection> {
        let upgrader = NIOTypedWebSocketServerUpgrader<Connection>(
            maxFrameSize: ConnectionLimits.body,
            shouldUpgrade: { channel, head in
                let isAllowed = responder.webSocket(for: HTTPRequest(head)) != nil
                return channel.eventLoop.makeSucceededFuture(isAllowed ? HTTPHeaders() : nil)
            },
            upgradePipelineHandler: { channel, head in
                channel.pipeline.handler(type: RequestDeadline.self).flatMapThrowing {
                    channel.pipeline.syncOperations.removeHandler($0, promise: nil)
                    guard let rpc = responder.webSocket(for: HTTPRequest(head)) else {
                        throw NIOWebSocketUpgradeError.invalidUpgradeHeader
                    }
                    return .webSocket(try webSocket(channel), rpc)
                }
            })
        var configuration = NIOUpgradableHTTPServerPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPServerUpgradeConfiguration<Connection>(
                upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeCompletedFuture {
                        return .http(try HTTPConnection.Channel(wrappingChannelSynchronously: channel))
                    }
                }))
        configuration.decoderConfiguration = ConnectionLimits.decoder
        try channel.pipeline.syncOperations.addHandler(StallGuard())
        let connection = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(
            configuration: configuration)
        try channel.pipeline.syncOperations.addHandler(RequestDeadline())
        return connection
    }

    private static func webSocket(_ channel: any NIOCore.Channel) throws -> WebSocketConnection.Channel {
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(FrameGuard())
        try pipeline.addHandler(
            NIOWebSocketFrameAggregator(
                minNonFinalFragmentSize: 1, maxAccumulatedFrameCount: 4_096,
                maxAccumulatedFrameSize: ConnectionLimits.body))
        return try WebSocketConnection.Channel(wrappingChannelSynchronously: channel)
    }
}
