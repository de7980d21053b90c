internal import Foundation
internal import GRDB
internal import SegmentedDL

/// A file that waits in this run.
struct WaitingFile: Sendable {
    var id: Int64
    var turn: Int64
    var item: MirrorItem
    var record: CopyRecord?
}

/// A file that this library has put there.
struct KeptFile: Sendable {
    var id: Int64
    var path: RelativePath
    var record: CopyRecord
}

extension MirrorStore {
    /// Files that wait, in their order.
    ///
    /// - Parameter turn: The place of the last one that is known already.
    func waiting(after turn: Int64, atMost count: Int) throws(DownloadError) -> [WaitingFile] {
        try explaining {
            return try database.read { database in
                let statement = try database.cachedStatement(sql: FileColumn.waiting)
                return try Array(
                    Row.fetchCursor(statement, arguments: [turn, count]).map { row in
                        let path = try RelativePath(row[FileColumn.path] as String)
                        return WaitingFile(
                            id: row[FileColumn.id], turn: row[FileColumn.turn],
                            item: try StoredItem.item(at: path, row[FileColumn.item]),
                            record: try CopyRecord(row))
                    })
            }
        }
    }

    /// The last place that is given away.
    func lastTurn() throws(DownloadError) -> Int64 {
        try explaining {
            try database.read { try Int64.fetchOne($0, sql: "SELECT MAX(turn) FROM file") ?? 0 }
        }
    }

    /// Makes all changes, or none.
    func apply(_ changes: [MirrorWriter.Change]) throws(DownloadError) {
        try explaining {
            try database.write { database in
                for change in changes { try Self.apply(change, database) }
            }
        }
    }

    private static func apply(_ change: MirrorWriter.Change, _ database: Database) throws {
        switch change {
        case .record(let id, let record):
            try database.cachedStatement(
                sql: """
                    UPDATE file SET url = ?, size = ?, sha256 = ?, digest = ?, etag = ?, lastModified = ?, inode = ?,
                    modified = ?, boot = ?, checked = ? WHERE id = ?
                    """
            ).execute(arguments: [
                record.url, record.identity.size, record.sha256, record.digest?.description, record.etag,
                record.lastModified, Int64(bitPattern: record.identity.inode), record.identity.modified,
                record.boot, record.checked, id,
            ])
        case .done(let ids, let run):
            try database.cachedStatement(
                sql: """
                    UPDATE file SET turn = NULL, item = NULL, checked = ?
                    WHERE id IN (SELECT value FROM json_each(?))
                    """
            ).execute(arguments: [run, "[\(ids.map(String.init).joined(separator: ","))]"])
        case .unknown(let id):
            try database.cachedStatement(
                sql: """
                    UPDATE file SET url = NULL, size = NULL, sha256 = NULL, digest = NULL, etag = NULL,
                    lastModified = NULL, inode = NULL, modified = NULL, boot = NULL, checked = NULL WHERE id = ?
                    """
            ).execute(arguments: [id])
        case .forget(let id):
            try database.cachedStatement(sql: "DELETE FROM file WHERE id = ?").execute(arguments: [id])
        }
    }

    /// Files of earlier runs that this one has not listed, by their paths.
    ///
    /// - Parameter path: The last one that is known already.
    func gone(in run: Run, after path: String, atMost count: Int) throws(DownloadError) -> [KeptFile] {
        try kept(
            "run <> ? AND size IS NOT NULL AND path > ? ORDER BY path LIMIT ?", [run.id, path, count])
    }

    /// Files of this run that are there, by their paths.
    ///
    /// - Parameter path: The last one that is known already.
    func complete(in run: Run, after path: String, atMost count: Int) throws(DownloadError) -> [KeptFile] {
        try kept(
            "run = ? AND turn IS NULL AND size IS NOT NULL AND path > ? ORDER BY path LIMIT ?",
            [run.id, path, count])
    }

    /// Whether a path is, or was, one of the mirror's files.
    func knows(_ path: RelativePath) throws(DownloadError) -> Bool {
        try explaining {
            try database.read {
                try Bool.fetchOne(
                    $0, sql: "SELECT EXISTS (SELECT 1 FROM file WHERE path = ?)", arguments: [path.text])
                    ?? false
            }
        }
    }

    /// Whether the run's listings have a path.
    func lists(_ path: String, in run: Run) throws(DownloadError) -> Bool {
        try explaining {
            try database.read {
                try Bool.fetchOne(
                    $0, sql: "SELECT EXISTS (SELECT 1 FROM file WHERE path = ? AND run = ?)",
                    arguments: [path, run.id]) ?? false
            }
        }
    }

    private func kept(_ condition: String, _ arguments: StatementArguments) throws(DownloadError)
        -> [KeptFile]
    {
        try explaining {
            try database.read { database in
                let sql = FileColumn.select(condition)
                return try Array(
                    Row.fetchCursor(database, sql: sql, arguments: arguments).compactMap { row in
                        guard let record = try CopyRecord(row) else { return nil }
                        return KeptFile(
                            id: row[FileColumn.id], path: try RelativePath(row[FileColumn.path] as String),
                            record: record)
                    })
            }
        }
    }
}

/// The columns of the table of files in the order in which they are asked for: looking them up by name took as long as
/// reading them.
private enum FileColumn: Int, CaseIterable {
    case id, path, turn, item, url, size, sha256, digest, etag, lastModified, inode, modified, boot, checked

    private static let names = allCases.map { "\($0)" }.joined(separator: ", ")

    static let waiting = select("turn > ? ORDER BY turn LIMIT ?")

    static func select(_ condition: String) -> String { "SELECT \(names) FROM file WHERE \(condition)" }
}

extension Row {
    fileprivate subscript<Value: DatabaseValueConvertible & StatementColumnConvertible>(
        column: FileColumn
    ) -> Value { self[column.rawValue] }
}

extension CopyRecord {
    /// - Returns: `nil` if nothing of ours is there.
    fileprivate init?(_ row: Row) throws {
        guard let size = row[FileColumn.size] as Int64?, let sha256 = row[FileColumn.sha256] as String? else {
            return nil
        }
        self.init(
            url: row[FileColumn.url] ?? "",
            identity: FileIdentity(
                inode: UInt64(bitPattern: row[FileColumn.inode] ?? 0), size: size,
                modified: row[FileColumn.modified] ?? 0),
            sha256: sha256,
            digest: try (row[FileColumn.digest] as String?).map { try Checksum(parsing: $0) },
            etag: row[FileColumn.etag], lastModified: row[FileColumn.lastModified],
            boot: row[FileColumn.boot], checked: row[FileColumn.checked] ?? 0)
    }
}
