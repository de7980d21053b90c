import SegmentedDL
import SegmentedDLDatabase

/// Paths that differ only in case, for file systems that treat them as the same.
///
/// SQLite itself ignores the case of ASCII letters only. The lower-case forms of paths with other letters are
/// therefore kept in a temporary table of the connection, which covers the files up to the highest number at
/// its last use.
extension MirrorStore {
    /// Returns the path of the first file in the run's listings whose path is equal except for case.
    ///
    /// - Parameter id: The file's number: earlier files have lower ones.
    /// - Returns: `nil` if that is the file itself.
    func firstSpelling(of path: String, _ id: Int64, in run: Run) throws(DownloadError) -> String? {
        try use { database -> String? in
            guard !Self.hasForeignCase(path) else {
                try Self.foldNew(database)
                return try database.first(
                    """
                    SELECT file.path FROM temp.folded JOIN file ON file.path = folded.path
                    WHERE folded.text = ? AND file.run = ? AND file.id < ? ORDER BY file.id LIMIT 1
                    """, [path.lowercased(), run.id, id]
                ) { try $0.text(0) }
            }
            // Only a case-insensitive file system needs this index.
            try database.execute("CREATE INDEX IF NOT EXISTS spelling ON file (path COLLATE NOCASE)")
            return try database.first(
                "SELECT path FROM file WHERE path = ? COLLATE NOCASE AND run = ? AND id < ? ORDER BY id LIMIT 1",
                [path, run.id, id]
            ) { try $0.text(0) }
        }
    }

    /// Returns true if the run's listings contain a path, possibly in another case.
    func listsSpelling(of path: String, in run: Run) throws(DownloadError) -> Bool {
        try use { database -> Bool in
            guard Self.hasForeignCase(path) else {
                return try database.first(
                    "SELECT EXISTS (SELECT 1 FROM file WHERE path = ? COLLATE NOCASE AND run = ?)",
                    [path, run.id]
                ) { try $0.bool(0) } ?? false
            }
            try Self.foldNew(database)
            return try database.first(
                """
                SELECT EXISTS (SELECT 1 FROM temp.folded JOIN file ON file.path = folded.path
                WHERE folded.text = ? AND file.run = ?)
                """, [path.lowercased(), run.id]
            ) { try $0.bool(0) } ?? false
        }
    }

    /// Adds the files that are not yet in the table.
    private static func foldNew(_ database: Database) throws {
        try database.execute(
            "CREATE TEMP TABLE IF NOT EXISTS folded (path TEXT PRIMARY KEY NOT NULL, text TEXT NOT NULL, id INTEGER NOT NULL)"
        )
        try database.execute("CREATE INDEX IF NOT EXISTS temp.folding ON folded (text)")
        // The row with an empty path stores the highest number. No file has an empty path.
        let last = try database.first("SELECT id FROM temp.folded WHERE path = ''") { try $0.integer(0) } ?? 0
        let newest = try database.first("SELECT COALESCE(MAX(id), 0) FROM file") { try $0.integer(0) } ?? 0
        guard newest > last else { return }
        let paths = try database.all(
            "SELECT path FROM file WHERE id > ? AND path GLOB '*[^' || char(1) || '-' || char(127) || ']*'",
            [last]
        ) { try $0.text(0) }
        for path in paths where hasForeignCase(path) {
            try database.execute(
                "INSERT OR REPLACE INTO temp.folded VALUES (?, ?, 0)", [path, path.lowercased()])
        }
        try database.execute("INSERT OR REPLACE INTO temp.folded VALUES ('', '', ?)", [newest])
    }

    /// Returns true for a path with non-ASCII letters that have an upper-case or lower-case form.
    private static func hasForeignCase(_ path: String) -> Bool {
        path.unicodeScalars.contains { !$0.isASCII && $0.properties.changesWhenCaseMapped }
    }
}
