import SegmentedDL
import SegmentedDLDatabase

/// The entries of a listing, with its progress.
struct ListingBatch: Sendable {
    var items: [MirrorItem] = []
    var problems: [MirrorReport.Failure] = []
    /// The directory that the problems belong to.
    var directory = ""
    var notes = ListingNotes()
}

/// The items whose paths had already been listed since this start of the run; they are not stored.
struct RepeatedItems: Sendable {
    /// The items that differ from the file with that path.
    var conflicts: [MirrorItem] = []
    /// The number of items that are the same file.
    var same = 0
}

extension MirrorStore {
    /// Stores the entries of listings, together with the listings' progress.
    ///
    /// - Parameter turn: The turn of the first item.
    func add(_ batches: [ListingBatch], of run: Run, turn: Int64) throws(DownloadError) -> RepeatedItems {
        try write { database in
            var (turn, repeated) = (turn, RepeatedItems())
            for batch in batches {
                let more = try Self.add(batch, of: run, turn: turn, database)
                repeated.conflicts += more.conflicts
                repeated.same += more.same
                turn += Int64(batch.items.count)
            }
            return repeated
        }
    }

    private static func add(
        _ batch: ListingBatch, of run: Run, turn: Int64, _ database: Database
    ) throws -> RepeatedItems {
        let insert = try database.statement(
            """
            INSERT INTO file (path, run, pass, turn, item) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (path) DO UPDATE SET
            run = excluded.run, pass = excluded.pass, item = excluded.item,
            turn = CASE WHEN run = excluded.run AND turn IS NOT NULL THEN turn ELSE excluded.turn END
            WHERE run <> excluded.run OR pass <> excluded.pass
            """)
        var repeated = RepeatedItems()
        for (index, item) in batch.items.enumerated() {
            try insert.execute([
                item.path.text, run.id, run.pass, turn + Int64(index), StoredItem.bytes(of: item),
            ])
            guard database.changedRows == 0 else { continue }
            if try isSame(item, database) {
                repeated.same += 1
            } else {
                repeated.conflicts.append(item)
            }
        }
        for problem in batch.problems + repeated.conflicts.map({ MirrorReport.Failure(duplicate: $0) }) {
            try database.execute(
                "INSERT INTO problem VALUES (?, ?, ?, ?, ?)",
                [
                    batch.directory, problem.place, problem.path?.text, problem.code?.rawValue,
                    problem.message,
                ])
        }
        try store(batch.notes, database)
        return repeated
    }

    /// Returns true if an item is the same file as the one listed with its path, since a page may link to a
    /// file twice.
    private static func isSame(_ item: MirrorItem, _ database: Database) throws -> Bool {
        let query = "SELECT item, url, size, sha256, digest FROM file WHERE path = ?"
        return try database.first(query, [item.path.text]) { row -> Bool in
            if let known = try row.optionalBytes(0) { return known == StoredItem.bytes(of: item) }
            // The file was processed in the meantime: its listed entry is no longer stored, only its copy. A
            // file without a copy has failed, which is already reported.
            guard let size = try row.optionalInteger(2) else { return true }
            guard try row.optionalText(1).flatMap(item.source(of:)) != nil, item.size ?? size == size else {
                return false
            }
            var digests: [Checksum.Algorithm: String] = [:]
            if let sha256 = try row.optionalText(3), !sha256.isEmpty { digests[.sha256] = sha256 }
            if let digest = try row.optionalText(4).map({ try Checksum(parsing: $0) }) {
                digests[digest.algorithm] = digest.hexadecimal
            }
            return item.checksums.allSatisfy { digests[$0.algorithm] ?? $0.hexadecimal == $0.hexadecimal }
        } ?? false
    }

    private static func store(_ notes: ListingNotes, _ database: Database) throws {
        if let root = notes.root { try database.execute("UPDATE run SET root = ?", [root]) }
        if let token = notes.token { try database.execute("UPDATE run SET token = ?", [token]) }
        for directory in notes.found {
            try insert(directory, database)
        }
        for path in notes.finished {
            try database.execute(
                "INSERT INTO directory VALUES (?, '', 1) ON CONFLICT (path) DO UPDATE SET isListed = 1",
                [path])
        }
    }

    /// Adds a directory that still has to be listed.
    static func insert(_ directory: ListingWalk.Directory, _ database: Database) throws {
        try database.execute(
            "INSERT OR IGNORE INTO directory VALUES (?, ?, 0)",
            [directory.path?.text ?? "", directory.source.url])
    }

    /// Returns the listing progress of earlier starts of the run.
    func listingState() throws(DownloadError) -> ListingState {
        try use { database in
            var state =
                try database.first("SELECT root, token FROM run") { row in
                    ListingState(root: try row.optionalText(0), token: try row.optionalText(1))
                } ?? ListingState()
            try database.forEach("SELECT path, url, isListed FROM directory") { row in
                let path = try row.text(0)
                state.directories.append(
                    .init(
                        path: path.isEmpty ? nil : try RelativePath(path), url: try row.text(1),
                        isListed: try row.bool(2)))
            }
            return state
        }
    }

    /// Records that all listings of the run are stored.
    ///
    /// Entries that an earlier start has read from a list, but that were missing when it was read again, do
    /// not belong to the run.
    func finishListing(of run: Run) throws(DownloadError) {
        try write { database in
            try database.execute("UPDATE run SET isListed = 1 WHERE id = ?", [run.id])
            if !run.isResumed {
                try database.execute(
                    "UPDATE file SET run = 0, turn = NULL, item = NULL WHERE run = ? AND pass <> ?",
                    [run.id, run.pass])
            }
        }
    }

    /// The unusable entries found by earlier starts of the run.
    func problems() throws(DownloadError) -> [MirrorReport.Failure] {
        try use { database in
            try database.all(
                "SELECT path, place, code, reason FROM problem LIMIT ?", [MirrorReport.maximumFailures]
            ) { row in
                MirrorReport.Failure(
                    path: try row.optionalText(0).map { try RelativePath($0) }, place: try row.text(1),
                    code: try row.optionalInteger(2).map { DownloadError.Code(rawValue: Int($0)) },
                    message: try row.text(3))
            }
        }
    }
}
