import SegmentedDL
import SegmentedDLDatabase
import SegmentedDLSupport
import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The mailbox beside a queue: commands post to it, and the process that has the queue open replies in it.
///
/// It is a database of its own: a posted command survives both processes, and neither needs a network. It
/// runs on a thread of its own, because SQLite waits for the other processes.
actor QueueMailbox {
    private let database: Database
    /// The last command before this mailbox was opened. It and all before it were for an earlier owner of the
    /// queue, and are never run.
    private let lastBefore: Int64
    private let executor = QueueExecutor(label: "segdl.control")

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter replacesDamaged: True if a new file replaces a damaged one: nothing in it matters to the
    ///   queue's next owner.
    /// - Throws: `DownloadError`.
    init(for store: FilePath, replacesDamaged: Bool = false) throws(DownloadError) {
        let path = store.string + ".control"
        do {
            (database, lastBefore) = try Self.open(path, replacesDamaged: replacesDamaged)
        } catch {
            throw DownloadError(
                .ioFailed, "The queue's control file '\(path)' cannot be used: \(error)", cause: error)
        }
    }

    private static func open(
        _ path: String, replacesDamaged: Bool
    ) throws -> (Database, lastBefore: Int64) {
        do {
            return try open(path)
        } catch let error as DatabaseError where replacesDamaged && error.isDamage {
            for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
            return try open(path)
        }
    }

    private static func open(_ path: String) throws -> (Database, lastBefore: Int64) {
        let path = FilePath(path)
        // Commands hold URLs, which may hold signatures.
        try FileDescriptor.open(
            path, .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
        ).close()
        let database = try Database(path, .readWrite)
        try database.writeAhead(.off)
        try database.execute(
            """
            CREATE TABLE IF NOT EXISTS message (
                id INTEGER PRIMARY KEY AUTOINCREMENT, posted REAL NOT NULL, process INTEGER NOT NULL,
                instruction BLOB NOT NULL, isTaken INTEGER NOT NULL DEFAULT 0, answer BLOB)
            """)
        let last = try database.first("SELECT IFNULL(MAX(id), 0) FROM message") { try $0.integer(0) }
        return (database, last ?? 0)
    }

    // MARK: For senders

    func post(_ command: QueueCommand) throws -> Int64 {
        let content = try Self.bytes(of: command)
        try database.execute(
            "INSERT INTO message (posted, process, instruction) VALUES (?, ?, ?)",
            [Date().timeIntervalSince1970, getpid(), content])
        return database.lastInsertedRow
    }

    enum Status: Sendable {
        case replied(QueueReply)
        case taken, waiting
        /// Another process has removed the command unread.
        case discarded
    }

    /// Returns the status of a command, and removes the reply to it.
    func status(of id: Int64) throws -> Status {
        let found = try database.first("SELECT isTaken, answer FROM message WHERE id = ?", [id]) { row in
            (isTaken: try row.bool(0), answer: try row.optionalBytes(1))
        }
        guard let found else { return .discarded }
        guard let content = found.answer else { return found.isTaken ? .taken : .waiting }
        try forget(id)
        return .replied(try JSONDecoder().decode(QueueReply.self, from: Data(content)))
    }

    private func forget(_ id: Int64) throws {
        try database.execute("DELETE FROM message WHERE id = ?", [id])
    }

    /// Withdraws a command.
    ///
    /// - Returns: False if a process has taken the command already.
    func withdraw(_ id: Int64) throws -> Bool {
        try database.execute("DELETE FROM message WHERE id = ? AND isTaken = 0", [id])
        return database.changedRows > 0
    }

    // MARK: For the process that has the queue open

    /// Takes the oldest command that no process has taken, and whose sender still runs.
    func take() throws -> (id: Int64, command: QueueCommand)? {
        while let message = try takeOldest() {
            guard kill(message.process, 0) == 0 || errno == EPERM else {
                // Its sender was killed before this process took the command, which is not to be run then.
                try forget(message.id)
                continue
            }
            do {
                return (message.id, try JSONDecoder().decode(QueueCommand.self, from: Data(message.content)))
            } catch {
                var reply = QueueReply()
                let reason =
                    "The queue is open in a segdl of another version, which does not know this; end it, or use that version."
                reply.failures = [QueueReply.Failure(DownloadError(.locked, reason))]
                try self.reply(reply, to: message.id)
            }
        }
        return nil
    }

    private typealias Message = (id: Int64, process: Int32, content: [UInt8])

    private func takeOldest() throws -> Message? {
        // The caller asks several times in a second, and nearly always without a message: that must not
        // write.
        let isWaiting = try database.first("SELECT 1 FROM message WHERE isTaken = 0 LIMIT 1") { _ in true }
        guard isWaiting == true else { return nil }
        return try database.transaction {
            try database.execute("DELETE FROM message WHERE id <= ?", [lastBefore])
            return try database.first(
                """
                UPDATE message SET isTaken = 1 WHERE id = (SELECT MIN(id) FROM message WHERE isTaken = 0)
                RETURNING id, process, instruction
                """
            ) { row -> Message in
                (try row.integer(0), Int32(truncatingIfNeeded: try row.integer(1)), try row.bytes(2))
            }
        }
    }

    /// Stores the reply to a command.
    func reply(_ reply: QueueReply, to id: Int64) throws {
        try database.execute("UPDATE message SET answer = ? WHERE id = ?", [Self.bytes(of: reply), id])
    }

    private static func bytes(of value: some Encodable) throws -> [UInt8] {
        Array(try JSONEncoder().encode(value))
    }
}

extension DatabaseError {
    fileprivate var isDamage: Bool { code == .corrupt || code == .notADatabase }
}
