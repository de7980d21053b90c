import SegmentedDL
import SegmentedDLQueue
import SegmentedDLServer
import SystemPackage

/// The socket next to a queue, on which the process that has the queue open accepts commands over HTTP, as in
/// the daemon's API.
enum QueueSocket {
    /// The maximum length of a socket name that is derived from the queue's.
    private static let longestName = 64

    /// The path of the socket next to the queue. Blocks.
    static func path(for store: FilePath) -> FilePath {
        let store = SystemCalls.resolved(store)
        let name = store.lastComponent?.string ?? ""
        let shown = name.utf8.count > longestName ? "queue-\(Digest.sha256(name.utf8).prefix(16))" : name
        return store.removingLastComponent().appending("\(shown).sock")
    }

    /// The path of the socket if the queue's file system does not support sockets. Blocks.
    private static func sessionPath(for store: FilePath) -> FilePath {
        sessionDirectory.appending(
            "\(Digest.sha256(SystemCalls.resolved(store).string.utf8).prefix(32)).sock")
    }

    /// A private directory of this user, which is deleted at the next boot.
    private static var sessionDirectory: FilePath {
        let session = ProcessEnvironment.variable("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
        return session.map { FilePath($0).appending("segdl") } ?? FilePath("/tmp/segdl-\(geteuid())")
    }

    // MARK: For the process that has the queue open

    /// Opens the socket of a queue.
    ///
    /// - Returns: `nil` if neither its directory nor the user's own can contain a socket, which is logged.
    static func listen(
        for manager: DownloadManager, of store: FilePath, messages: MessageLog
    ) async -> Listener? {
        if let message = await DiskThread.run({ EarlierMailbox.close(of: store) }) { messages.add(message) }
        do {
            let name = try await DiskThread.run { try bound(for: store) }
            let server = try await HTTPServer(
                .descriptor(name.descriptor, isLocal: true),
                CommandResponder { await answer($0, on: manager) })
            return Listener(server: server, name: name.socket)
        } catch {
            messages.add(
                "Other terminals cannot send commands to this queue, because neither its directory nor '\(sessionDirectory)' can contain a socket (\(error)); use another directory for that."
            )
            return nil
        }
    }

    private static func bound(for store: FilePath) throws -> (socket: LocalSocket, descriptor: Int32) {
        do {
            return try bound(at: path(for: store))
        } catch {
            guard LocalSocket.makePrivateDirectory(sessionDirectory) else { throw error }
            return try bound(at: sessionPath(for: store))
        }
    }

    private static func bound(at path: FilePath) throws -> (socket: LocalSocket, descriptor: Int32) {
        let name = try LocalSocket(at: path)
        name.remove()
        return (name, try name.bound())
    }

    /// - Parameter body: A `QueueCommand` in JSON.
    /// - Returns: The `QueueReply` in JSON.
    static func answer(_ body: [UInt8], on manager: DownloadManager) async -> [UInt8] {
        var reply = QueueReply()
        do {
            reply = await (try JSONDecoder().decode(QueueCommand.self, from: Data(body))).run(on: manager)
        } catch {
            let reason =
                "The queue is open in another version of segdl, which does not support this command; end that process, or use that version."
            reply.failures = [QueueReply.Failure(DownloadError(.locked, reason))]
        }
        return (try? JSONEncoder().encode(reply)).map(Array.init) ?? []
    }

    struct Listener: Sendable {
        let server: HTTPServer
        fileprivate let name: LocalSocket

        /// Accepts commands until the task is cancelled.
        func run() async { try? await server.run() }

        /// Returns when the current commands have been processed. Later ones are refused, and their senders
        /// resend them to the queue's next owner.
        func stop() async {
            await server.drain()
            await DiskThread.run { name.remove() }
        }
    }

    // MARK: For senders

    /// Sends a command to the process that has the queue open, and waits for the reply.
    ///
    /// - Parameter patience: How long to wait for a process to accept the command.
    /// - Returns: `nil` if no process has accepted the command.
    /// - Throws: `DownloadError` with code `locked` if the process ended before it replied.
    static func send(
        _ command: QueueCommand, for store: FilePath, patience: Duration
    ) async throws -> QueueReply? {
        for path in await DiskThread.run({ places(of: store) }) {
            if let reply = try await send(command, to: path, for: store, patience: patience) { return reply }
        }
        return nil
    }

    /// The possible paths of the socket. Blocks.
    private static func places(of store: FilePath) -> [FilePath] {
        let isElsewhere = LocalSocket.isPrivateDirectory(sessionDirectory)
        return [path(for: store)] + (isElsewhere ? [sessionPath(for: store)] : [])
    }

    private static func send(
        _ command: QueueCommand, to path: FilePath, for store: FilePath, patience: Duration
    ) async throws -> QueueReply? {
        let name = try await DiskThread.run { try LocalSocket(at: path) }
        var call = HTTPCall(
            url: "http://localhost" + CommandResponder.path,
            headers: [HTTPHeader("Content-Type", "application/json"), HTTPHeader("Connection", "close")],
            body: Array(try JSONEncoder().encode(command)))
        call.socket = name.address
        call.patience = patience
        do {
            defer { withExtendedLifetime(name) {} }
            let answer = try await call.send(Transport())
            guard answer.status == 200 else { return nil }
            return try JSONDecoder().decode(QueueReply.self, from: Data(answer.body))
        } catch is HTTPCall.NotSent {
            return nil
        } catch let error as DownloadError {
            // Another process, or this one, can run the command.
            if command.isQuestion { return nil }
            throw DownloadError(
                .locked,
                "The process that has the queue '\(store)' open ended before it replied; check the list.",
                cause: error)
        }
    }
}
