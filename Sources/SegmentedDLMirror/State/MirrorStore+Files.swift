import SegmentedDL
import SegmentedDLDatabase

/// A file that this run has not processed yet.
struct WaitingFile: Sendable {
    var id: Int64
    var turn: Int64
    var item: MirrorItem
    var record: CopyRecord?
}

/// A file written by the mirror.
struct KeptFile: Sendable {
    var id: Int64
    var path: RelativePath
    var record: CopyRecord
}

/// A file of earlier runs that the source no longer has.
struct GoneFile: Sendable {
    var id: Int64
    var path: RelativePath
    /// The local copy; `nil` if no run has completed it.
    var record: CopyRecord?
}

extension MirrorStore {
    /// Returns waiting files in order of their turns.
    ///
    /// - Parameter turn: The turn of the last file that is already known.
    func waiting(after turn: Int64, atMost count: Int) throws(DownloadError) -> [WaitingFile] {
        try use { database in
            try database.all(FileColumn.waiting, [turn, count]) { row in
                let path = try RelativePath(row.text(.path))
                return WaitingFile(
                    id: try row.integer(.id), turn: try row.integer(.turn),
                    item: try StoredItem.item(at: path, row.bytes(.item)),
                    record: try CopyRecord(row))
            }
        }
    }

    /// The last assigned turn.
    func lastTurn() throws(DownloadError) -> Int64 {
        try use { try $0.first("SELECT IFNULL(MAX(turn), 0) FROM file") { try $0.integer(0) } ?? 0 }
    }

    /// Applies all changes, or none.
    func apply(_ changes: [MirrorWriter.Change]) throws(DownloadError) {
        let haveProof = changes.contains { change in
            if case .record(_, let record) = change { record.proof != nil } else { false }
        }
        try write { database in
            if haveProof { try database.execute(Self.copyProofTable) }
            for change in changes { try Self.apply(change, database) }
        }
    }

    private static func apply(_ change: MirrorWriter.Change, _ database: Database) throws {
        switch change {
        case .record(let id, let record):
            try database.execute(
                """
                UPDATE file SET url = ?, size = ?, sha256 = ?, digest = ?, etag = ?, lastModified = ?, inode = ?,
                modified = ?, boot = ?, checked = ? WHERE id = ?
                """,
                [
                    record.url, record.identity.size, record.sha256, record.digest?.description, record.etag,
                    record.lastModified, Int64(bitPattern: record.identity.inode), record.identity.modified,
                    record.boot, record.checked, id,
                ])
            guard let proof = record.proof else { break }
            try database.execute(
                "INSERT OR REPLACE INTO copyProof (id, sha256, text) VALUES (?, ?, ?)",
                [id, record.sha256, proof])
        case .done(let ids, let run):
            try database.execute(
                """
                UPDATE file SET turn = NULL, item = NULL, checked = ?
                WHERE id IN (SELECT value FROM json_each(?))
                """, [run, "[\(ids.map(String.init).joined(separator: ","))]"])
        case .unknown(let id):
            try database.execute(
                """
                UPDATE file SET url = NULL, size = NULL, sha256 = NULL, digest = NULL, etag = NULL,
                lastModified = NULL, inode = NULL, modified = NULL, boot = NULL, checked = NULL WHERE id = ?
                """, [id])
        case .forget(let id):
            try database.execute("DELETE FROM file WHERE id = ?", [id])
            // Another file may get the number.
            try database.execute(Self.copyProofTable)
            try database.execute("DELETE FROM copyProof WHERE id = ?", [id])
        case .directory(let id, let directory):
            try Self.insert(directory, database)
            // If an earlier run fetched the file, it now counts as one that the source no longer has.
            try database.execute("UPDATE file SET run = 0, turn = NULL, item = NULL WHERE id = ?", [id])
        }
    }

    /// Returns files of earlier runs that this one has not listed, sorted by path.
    ///
    /// - Parameter path: The last path that is already known.
    func gone(in run: Run, after path: String, atMost count: Int) throws(DownloadError) -> [GoneFile] {
        try use { database in
            try database.all(FileColumn.gone, [run.id, path, count]) { row in
                GoneFile(
                    id: try row.integer(.id), path: try RelativePath(row.text(.path)),
                    record: try CopyRecord(row))
            }
        }
    }

    /// Returns files that are present, sorted by path.
    ///
    /// - Parameters:
    ///   - isOfAnyRun: True for the files that any run has completed, false for those of `run` alone.
    ///   - path: The last path that is already known.
    func complete(
        in run: Run, orEarlier isOfAnyRun: Bool = false, after path: String, atMost count: Int
    ) throws(DownloadError) -> [KeptFile] {
        try use { database -> [KeptFile] in
            try database.execute(Self.copyProofTable)
            let values: [(any Bindable)?] = [run.id, isOfAnyRun, path, count]
            return try database.all(FileColumn.complete, values) { row -> KeptFile? in
                guard var record = try CopyRecord(row) else { return nil }
                record.proof = try row.optionalText(FileColumn.allCases.count)
                return KeptFile(
                    id: try row.integer(.id), path: try RelativePath(row.text(.path)), record: record)
            }.compactMap { $0 }
        }
    }

    /// Returns true if a path is, or was, one of the mirror's files.
    func knows(_ path: RelativePath) throws(DownloadError) -> Bool {
        try holds(
            "SELECT EXISTS (SELECT 1 FROM file WHERE path = ? AND (size IS NOT NULL OR turn IS NOT NULL))",
            [path.text])
    }

    /// Returns the URL from which a file was fetched; `nil` if no run has completed it.
    func url(of path: RelativePath) throws(DownloadError) -> String? {
        try use { database in
            try database.first(
                "SELECT url FROM file WHERE path = ? AND size IS NOT NULL AND url IS NOT NULL", [path.text]
            ) {
                try $0.text(0)
            }
        }
    }

    /// Returns files that any run has completed, sorted by path.
    ///
    /// - Parameter path: The last path that is already known.
    func copies(after path: String, atMost count: Int) throws(DownloadError) -> [KeptFile] {
        try use { database -> [KeptFile] in
            try database.all(FileColumn.copies, [path, count]) { row -> KeptFile? in
                guard let record = try CopyRecord(row) else { return nil }
                return KeptFile(
                    id: try row.integer(.id), path: try RelativePath(row.text(.path)), record: record)
            }.compactMap { $0 }
        }
    }

    /// Returns true if any run has completed the file at a path, or one below it.
    func hasCopies(at path: RelativePath) throws(DownloadError) -> Bool {
        // The range of paths below it ends at the character after the slash.
        try holds(
            """
            SELECT EXISTS (
                SELECT 1 FROM file WHERE (path = ? OR path > ? AND path < ?) AND size IS NOT NULL)
            """, [path.text, path.text + "/", path.text + "0"])
    }

    /// Returns true if any run has completed a file.
    func hasCopies() throws(DownloadError) -> Bool {
        try holds("SELECT EXISTS (SELECT 1 FROM file WHERE size IS NOT NULL)", [])
    }

    /// Returns true if the run's listings contain a path.
    ///
    /// - Parameter mergesLetters: True to ignore case.
    func lists(_ path: String, in run: Run, mergesLetters: Bool = false) throws(DownloadError) -> Bool {
        if mergesLetters { return try listsSpelling(of: path, in: run) }
        return try holds("SELECT EXISTS (SELECT 1 FROM file WHERE path = ? AND run = ?)", [path, run.id])
    }

    /// Returns true if the run's listings contain a path below a directory.
    ///
    /// - Parameter mergesLetters: True to ignore the case of ASCII letters.
    func listsBelow(
        _ directory: String, in run: Run, mergesLetters: Bool = false
    ) throws(DownloadError) -> Bool {
        let collation = mergesLetters ? "COLLATE NOCASE" : ""
        // The range of paths with this prefix ends at the character after the slash.
        return try holds(
            """
            SELECT EXISTS (SELECT 1 FROM file WHERE path > ? \(collation) AND path < ? \(collation) AND run = ?)
            """, [directory + "/", directory + "0", run.id])
    }
}

/// The selected columns of the table of files, in order.
private enum FileColumn: Int, CaseIterable {
    case id, path, turn, item, url, size, sha256, digest, etag, lastModified, inode, modified, boot, checked

    private static let names = allCases.map { "\($0)" }.joined(separator: ", ")

    static let waiting = select("turn > ? ORDER BY turn LIMIT ?")
    static let gone = select("run <> ? AND path > ? ORDER BY path LIMIT ?")
    static let copies = select("size IS NOT NULL AND sha256 IS NOT NULL AND path > ? ORDER BY path LIMIT ?")
    /// Also selects the proof of the recorded content.
    static let complete = """
        SELECT \(names), (
            SELECT text FROM copyProof WHERE copyProof.id = file.id AND copyProof.sha256 = file.sha256)
        FROM file
        WHERE (run = ? OR ?) AND turn IS NULL AND size IS NOT NULL AND path > ? ORDER BY path LIMIT ?
        """

    private static func select(_ condition: String) -> String {
        "SELECT \(names) FROM file WHERE \(condition)"
    }
}

extension Row {
    fileprivate func integer(_ column: FileColumn) throws(DatabaseError) -> Int64 {
        try integer(column.rawValue)
    }

    fileprivate func optionalInteger(_ column: FileColumn) throws(DatabaseError) -> Int64? {
        try optionalInteger(column.rawValue)
    }

    fileprivate func text(_ column: FileColumn) throws(DatabaseError) -> String {
        try text(column.rawValue)
    }

    fileprivate func optionalText(_ column: FileColumn) throws(DatabaseError) -> String? {
        try optionalText(column.rawValue)
    }

    fileprivate func bytes(_ column: FileColumn) throws(DatabaseError) -> [UInt8] {
        try bytes(column.rawValue)
    }
}

extension CopyRecord {
    /// - Returns: `nil` if no copy of this mirror is present.
    fileprivate init?(_ row: Row) throws {
        guard let size = try row.optionalInteger(.size), let sha256 = try row.optionalText(.sha256) else {
            return nil
        }
        self.init(
            url: try row.optionalText(.url) ?? "",
            identity: FileIdentity(
                inode: UInt64(bitPattern: try row.optionalInteger(.inode) ?? 0), size: size,
                modified: try row.optionalInteger(.modified) ?? 0),
            sha256: sha256,
            digest: try row.optionalText(.digest).map { try Checksum(parsing: $0) },
            etag: try row.optionalText(.etag), lastModified: try row.optionalText(.lastModified),
            boot: try row.optionalText(.boot), checked: try row.optionalInteger(.checked) ?? 0)
    }
}
