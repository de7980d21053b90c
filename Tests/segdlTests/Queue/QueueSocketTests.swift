import Foundation
import SegmentedDLDatabase
import SegmentedDLSupport
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue
@testable import SegmentedDLServer
@testable import segdl

@Suite("The socket of a queue")
struct QueueSocketTests {
    private let directory: TestSupport.TemporaryDirectory
    private let store: FilePath

    init() throws {
        directory = try TestSupport.TemporaryDirectory()
        store = directory.filePath("queue.sqlite")
    }

    private func run(
        at store: FilePath, _ body: @Sendable (DownloadManager, QueueSocket.Listener) async throws -> Void
    ) async throws {
        var configuration = ManagerConfiguration(store: store)
        configuration.runsDownloads = false
        try await DownloadManager.withManager(configuration) { manager in
            let messages = MessageLog()
            let socket = await QueueSocket.listen(for: manager, of: store, messages: messages)
            #expect(messages.take() == [])
            let listener = try #require(socket)
            let serving = Task { await listener.run() }
            try await body(manager, listener)
            serving.cancel()
            await serving.value
        }
    }

    private func send(_ command: QueueCommand, _ patience: Duration = .seconds(300)) async throws
        -> QueueReply?
    {
        try await QueueSocket.send(command, for: store, patience: patience)
    }

    private func addition(_ url: String) throws -> QueueCommand {
        .add([QueueEntry(try DownloadRequest(url, to: .directory("/d")))])
    }

    @Test("is private, and commands are run by the process that has the queue open")
    func runs() async throws {
        try await run(at: store) { [store, directory] manager, _ in
            let mode = try FileManager.default.attributesOfItem(atPath: store.string + ".sock")[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
            let reply = try await send(try addition("http://h/a"))
            #expect(reply?.receipts.map(\.source.url) == ["http://h/a"])
            #expect(await manager.receipts.map(\.source.url) == ["http://h/a"])
            #expect(directory.names.contains("queue.sqlite.sock"))
        }
    }

    @Test("has a name for any length of the queue's path", arguments: [40, 200])
    func longPaths(length: Int) async throws {
        let name = String(repeating: "n", count: length)
        let deep = directory.filePath(String(repeating: "d", count: 120)).appending(name)
        try FileManager.default.createDirectory(
            atPath: deep.removingLastComponent().string, withIntermediateDirectories: true)
        try await run(at: deep) { _, _ in
            let reply = try await QueueSocket.send(.active, for: deep, patience: .seconds(300))
            #expect(reply?.failures.count == 0)
        }
    }

    @Test("is in a private directory of the user if the queue's directory supports none")
    func elsewhere() async throws {
        // A socket cannot be bound to the name of an existing file, and that file is not ours.
        try directory.write("a file", to: "queue.sqlite.sock")
        try await run(at: store) { manager, _ in
            let reply = try await send(try addition("http://h/a"))
            #expect(reply?.receipts.count == 1)
            #expect(await manager.receipts.count == 1)
        }
        let after = try await send(.active)
        #expect(after?.receipts == nil)
        #expect(try directory.read("queue.sqlite.sock") == Array("a file".utf8))
    }

    @Test("left by an ended process accepts no command, and the next process replaces it")
    func left() async throws {
        let name = try LocalSocket(at: QueueSocket.path(for: store))
        close(try name.bound())
        let refused = try await send(try addition("http://h/a"))
        #expect(refused?.receipts == nil)
        try await run(at: store) { _, _ in
            let reply = try await send(.active)
            #expect(reply?.failures.count == 0)
        }
    }

    @Test("an unknown command has a reply")
    func unknown() async throws {
        try await run(at: store) { manager, _ in
            let answer = await QueueSocket.answer(Array(#"{"new":{}}"#.utf8), on: manager)
            let reply = try JSONDecoder().decode(QueueReply.self, from: Data(answer))
            #expect(reply.failures.map(\.exitStatus) == [6])
            #expect(reply.failures.first?.message.contains("another version") == true)
            let next = try await send(try addition("http://h/a"))
            #expect(next?.receipts.map(\.source.url) == ["http://h/a"])
        }
    }

    @Test("of an ending process refuses commands, which are then not run")
    func ending() async throws {
        try await run(at: store) { manager, listener in
            await listener.server.drain()
            let refused = try await send(try addition("http://h/a"))
            #expect(refused?.receipts == nil)
            #expect(await manager.receipts == [])
        }
    }

    /// Listens by hand, and handles one connection.
    private func listen(_ body: @escaping @Sendable (Int32) -> Void) throws -> Task<Void, Never> {
        let name = try LocalSocket(at: QueueSocket.path(for: store))
        let listener = try name.bound()
        #expect(beginListening(listener) == 0)
        return Task {
            await DiskThread.run {
                let connection = acceptConnection(listener)
                body(connection)
                close(connection)
                close(listener)
            }
        }
    }

    @Test("a command accepted by a process before it died is not sent again, but a question may be")
    func died() async throws {
        for command in [try addition("http://h/a"), .active] {
            let accepting = try listen { connection in
                let continues = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
                var text = readText(connection)
                #expect(text.lowercased().contains("expect: 100-continue"))
                _ = continues.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
                text = readText(connection)
                #expect(!text.isEmpty)
            }
            if command.isQuestion {
                let reply = try await send(command)
                #expect(reply?.receipts == nil)
            } else {
                let error = await #expect(throws: DownloadError.self) { try await send(command) }
                #expect(error?.code == .locked)
                #expect(error?.message.contains("ended before it replied") == true)
            }
            await accepting.value
            try LocalSocket(at: QueueSocket.path(for: store)).remove()
        }
    }

    @Test("a command that is not accepted in time remains with its sender")
    func stopped() async throws {
        let accepting = try listen { connection in
            // Like a process that was stopped, and continues after the sender has timed out.
            var text = ""
            while true {
                let more = readText(connection)
                if more.isEmpty { break }
                text += more
            }
            #expect(text.hasPrefix("POST \(CommandResponder.path)") && text.hasSuffix("\r\n\r\n"))
        }
        let refused = try await send(try addition("http://h/a"), .milliseconds(10))
        #expect(refused?.receipts == nil)
        await accepting.value
    }

    @Test("commands in the mailbox of an earlier version are reported and kept; an empty mailbox is removed")
    func mailbox() throws {
        let path = directory.filePath("queue.sqlite.control")
        #expect(EarlierMailbox.close(of: store) == nil)
        let database = try Database(path, .readWrite)
        try database.run(
            """
            CREATE TABLE message (
                id INTEGER PRIMARY KEY AUTOINCREMENT, posted REAL NOT NULL, process INTEGER NOT NULL,
                instruction BLOB NOT NULL, isTaken INTEGER NOT NULL DEFAULT 0, answer BLOB);
            INSERT INTO message (posted, process, instruction) VALUES (0, 1, x'7b7d');
            """)
        let message = try #require(EarlierMailbox.close(of: store))
        #expect(message.contains("1 command ") && message.contains(path.string))
        #expect(FileManager.default.fileExists(atPath: path.string))
        try database.run("UPDATE message SET isTaken = 1")
        database.close()
        #expect(EarlierMailbox.close(of: store) == nil)
        #expect(!FileManager.default.fileExists(atPath: path.string))
        try directory.write(String(repeating: "no database ", count: 500), to: "queue.sqlite.control")
        #expect(EarlierMailbox.close(of: store) == nil)
    }
}

private func readText(_ connection: Int32) -> String {
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(connection, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
}

private func acceptConnection(_ listener: Int32) -> Int32 { accept(listener, nil, nil) }

private func beginListening(_ socket: Int32) -> Int32 { listen(socket, 1) }
