import Foundation
import GRDB
import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SystemPackage

/// Where commands leave instructions for the process that has a queue open, and it leaves its answers.
///
/// A database of its own beside the queue's: what was posted survives both processes, and neither needs a
/// network.
struct ControlBox: Sendable {
    private let database: DatabaseQueue
    /// What was posted before is nobody's business any more: it was meant for an earlier owner of the queue.
    private let lastBefore: Int64

    /// - Parameter replacesDamaged: Whether a damaged file is made anew, as nothing in it matters to the queue's next owner.
    /// - Throws: `DownloadError`.
    init(for store: FilePath, replacesDamaged: Bool = false) throws(DownloadError) {
        let path = store.string + ".control"
        do {
            do {
                (database, lastBefore) = try Self.open(path)
            } catch let error as DatabaseError where replacesDamaged && error.isDamage {
                for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
                (database, lastBefore) = try Self.open(path)
            }
        } catch {
            throw DownloadError(
                .ioFailed, "The queue's control file '\(path)' cannot be used: \(error)", cause: error)
        }
    }

    private static func open(_ path: String) throws -> (DatabaseQueue, lastBefore: Int64) {
        // Instructions hold URLs, which may hold signatures.
        try FileDescriptor.open(
            FilePath(path), .readWrite, options: [.create, .closeOnExec], permissions: [.ownerReadWrite]
        ).close()
        var configuration = GRDB.Configuration()
        configuration.journalMode = .wal
        configuration.busyMode = .timeout(5)
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = OFF") }
        let database = try DatabaseQueue(path: path, configuration: configuration)
        let last = try database.write { database in
            try database.execute(
                sql: """
                    CREATE TABLE IF NOT EXISTS message (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, posted REAL NOT NULL, process INTEGER NOT NULL,
                        instruction BLOB NOT NULL, isTaken INTEGER NOT NULL DEFAULT 0, answer BLOB)
                    """)
            return try Int64.fetchOne(database, sql: "SELECT MAX(id) FROM message") ?? 0
        }
        return (database, last)
    }

    // MARK: For commands

    func post(_ instruction: Instruction) async throws -> Int64 {
        let content = try Self.encoder().encode(instruction)
        return try await database.write { database in
            try database.execute(
                sql: "INSERT INTO message (posted, process, instruction) VALUES (?, ?, ?)",
                arguments: [Date().timeIntervalSince1970, getpid(), content])
            return database.lastInsertedRowID
        }
    }

    enum Reply: Sendable {
        case answered(Answer)
        case taken, waiting
        /// Somebody has thrown it away unread.
        case gone
    }

    /// What has become of an instruction; its answer is taken out.
    func reply(to id: Int64) async throws -> Reply {
        let found = try await database.read { database in
            let row = try Row.fetchOne(
                database, sql: "SELECT isTaken, answer FROM message WHERE id = ?", arguments: [id])
            return row.map { (isTaken: $0["isTaken"] as Bool, answer: $0["answer"] as Data?) }
        }
        guard let found else { return .gone }
        guard let content = found.answer else { return found.isTaken ? .taken : .waiting }
        try await forget(id)
        return .answered(try Self.decoder().decode(Answer.self, from: content))
    }

    private func forget(_ id: Int64) async throws {
        try await database.write { try $0.execute(sql: "DELETE FROM message WHERE id = ?", arguments: [id]) }
    }

    /// Takes an instruction back.
    ///
    /// - Returns: Whether it could still be: nobody has begun to carry it out.
    func withdraw(_ id: Int64) async throws -> Bool {
        try await database.write { database in
            try database.execute(sql: "DELETE FROM message WHERE id = ? AND isTaken = 0", arguments: [id])
            return database.changesCount > 0
        }
    }

    // MARK: For the process that has the queue open

    /// Takes the oldest instruction that nobody has taken, and whose command still waits.
    func take() async throws -> (id: Int64, instruction: Instruction)? {
        let isWaiting = try await database.read { database in
            try Bool.fetchOne(database, sql: "SELECT 1 FROM message WHERE isTaken = 0 LIMIT 1") ?? false
        }
        guard isWaiting else { return nil }
        let found = try await database.write { database in
            try database.execute(
                sql: "DELETE FROM message WHERE id <= ?",
                arguments: [lastBefore])
            let row = try Row.fetchOne(
                database,
                sql: """
                    UPDATE message SET isTaken = 1
                    WHERE id = (SELECT MIN(id) FROM message WHERE isTaken = 0)
                    RETURNING id, process, instruction
                    """)
            return row.map {
                (id: $0["id"] as Int64, process: $0["process"] as Int32, content: $0["instruction"] as Data)
            }
        }
        guard let (id, process, content) = found else { return nil }
        guard kill(process, 0) == 0 || errno == EPERM else {
            // Who was killed before anybody had begun wanted nothing more.
            try await forget(id)
            return try await take()
        }
        do {
            return (id, try Self.decoder().decode(Instruction.self, from: content))
        } catch {
            var answer = Answer()
            let reason =
                "The queue is open in a segdl of another version, which does not know this; end it, or use that version."
            answer.failures = [Answer.Failure(DownloadError(.locked, reason))]
            try await self.answer(id, answer)
            return try await take()
        }
    }

    func answer(_ id: Int64, _ answer: Answer) async throws {
        let content = try Self.encoder().encode(answer)
        try await database.write { database in
            try database.execute(sql: "UPDATE message SET answer = ? WHERE id = ?", arguments: [content, id])
        }
    }

    private static func encoder() -> JSONEncoder { JSONEncoder() }
    private static func decoder() -> JSONDecoder { JSONDecoder() }
}

extension DatabaseError {
    fileprivate var isDamage: Bool { resultCode == .SQLITE_CORRUPT || resultCode == .SQLITE_NOTADB }
}
