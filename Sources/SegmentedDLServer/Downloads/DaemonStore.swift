package import SegmentedDL
internal import SegmentedDLDatabase
package import SegmentedDLQueue
internal import SegmentedDLSupport
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The attachments of a queue's downloads, and the daemon's mirrors, in a database next to the queue. It is
/// readable only by its owner, because it contains passwords.
package actor DaemonStore {
    private static let file = DatabaseFile(
        noun: "The daemon's store", kind: "daemon's store",
        consolation:
            "The queue next to it is kept, without the headers and passwords of its downloads, and without mirrors.",
        size: .small,
        schema: Schema(
            applicationID: 0x7367_6a62,
            versions: [
                "CREATE TABLE job (gid TEXT PRIMARY KEY NOT NULL, content BLOB NOT NULL) STRICT, WITHOUT ROWID",
                """
                CREATE TABLE mirror (
                    place INTEGER PRIMARY KEY, id TEXT UNIQUE NOT NULL, content BLOB NOT NULL) STRICT
                """,
            ]))

    private let lock: StoreLock
    let database: Database
    // SQLite calls block.
    private let executor = QueueExecutor(label: "SegmentedDL.daemon")
    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Opens the store of a queue. Blocks on the disk.
    ///
    /// - Throws: `DownloadError`.
    package init(beside queue: FilePath) throws(DownloadError) {
        (lock, database) = try Self.file.open(FilePath(queue.string + ".jobs"), isDurable: true)
    }

    /// Stores the attachment of a download, or removes it if it is empty. The change survives a power cut.
    ///
    /// - Throws: `DatabaseError`.
    package func save(_ attachment: RecordAttachment, of gid: GID) throws {
        guard attachment != RecordAttachment() else { return try erase(gid) }
        let content = Array(try JSONEncoder().encode(attachment))
        try database.execute("INSERT OR REPLACE INTO job VALUES (?, ?)", [gid.description, content])
    }

    /// Returns the attachment of a download; an empty one if none was stored or it cannot be read.
    package func attachment(of gid: GID) -> RecordAttachment {
        let content = try? database.first("SELECT content FROM job WHERE gid = ?", [gid.description]) {
            try $0.bytes(0)
        }
        guard let content = content.flatMap({ $0 }) else { return RecordAttachment() }
        return (try? JSONDecoder().decode(RecordAttachment.self, from: Data(content))) ?? RecordAttachment()
    }

    /// Returns the settings that are not yet in the requests of the queue.
    ///
    /// - Throws: `DatabaseError`.
    func earlierSettings() throws -> [(gid: GID, settings: EarlierSettings)] {
        let rows = try database.all("SELECT gid, content FROM job") { (try $0.text(0), try $0.bytes(1)) }
        return rows.compactMap { gid, content in
            guard let gid = GID(gid),
                let settings = try? JSONDecoder().decode(EarlierSettings.self, from: Data(content)),
                !settings.isMoved
            else { return nil }
            return (gid, settings)
        }
    }

    /// Stores the attachments again, without settings that have been moved to the queue.
    ///
    /// - Throws: `DatabaseError`.
    func markMoved(_ gids: [GID]) throws {
        try database.transaction {
            for gid in gids { try save(attachment(of: gid), of: gid) }
        }
    }

    /// - Throws: `DatabaseError`.
    package func erase(_ gid: GID) throws {
        try database.execute("DELETE FROM job WHERE gid = ?", [gid.description])
    }

    /// Removes the attachments of downloads that another program has removed from the queue.
    package func keep(only gids: Set<GID>) throws {
        let stored = try database.all("SELECT gid FROM job") { try $0.text(0) }
        for text in stored where GID(text).map({ !gids.contains($0) }) ?? true {
            try database.execute("DELETE FROM job WHERE gid = ?", [text])
        }
    }

    /// Returns the headers and credentials of a download; `nil` if its client supplied none.
    package func authorization(for receipt: Receipt) -> Authorization? {
        let authorization = attachment(of: GID(of: receipt)).authorization
        return authorization == Authorization() ? nil : authorization
    }

    package func close() {
        database.close()
        lock.release()
    }
}
