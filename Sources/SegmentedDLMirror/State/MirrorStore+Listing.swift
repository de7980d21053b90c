internal import Foundation
internal import GRDB
internal import SegmentedDL

/// What a listing gave, and how far it is with that.
struct ListingBatch: Sendable {
    var items: [MirrorItem] = []
    var problems: [MirrorReport.Failure] = []
    /// The directory that the problems are of.
    var directory = ""
    var notes = ListingNotes()
}

extension MirrorStore {
    /// Stores what listings gave, together with how far they are.
    ///
    /// - Parameter turn: The place of the first item among those that wait.
    /// - Returns: Items whose path this start of the run has already had; they are not stored.
    func add(_ batches: [ListingBatch], of run: Run, turn: Int64) throws(DownloadError) -> [MirrorItem] {
        try explaining {
            try database.write { database in
                var (turn, duplicates): (Int64, [MirrorItem]) = (turn, [])
                for batch in batches {
                    duplicates += try Self.add(batch, of: run, turn: turn, database)
                    turn += Int64(batch.items.count)
                }
                return duplicates
            }
        }
    }

    private static func add(
        _ batch: ListingBatch, of run: Run, turn: Int64, _ database: Database
    ) throws -> [MirrorItem] {
        let insert = try database.cachedStatement(
            sql: """
                INSERT INTO file (path, run, pass, turn, item) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (path) DO UPDATE SET
                run = excluded.run, pass = excluded.pass, item = excluded.item,
                turn = CASE WHEN run = excluded.run AND turn IS NOT NULL THEN turn ELSE excluded.turn END
                WHERE run <> excluded.run OR pass <> excluded.pass
                """)
        var duplicates: [MirrorItem] = []
        for (index, item) in batch.items.enumerated() {
            try insert.execute(arguments: [
                item.path.text, run.id, run.pass, turn + Int64(index), StoredItem.bytes(of: item),
            ])
            if database.changesCount == 0 { duplicates.append(item) }
        }
        for problem in batch.problems + duplicates.map({ MirrorReport.Failure(duplicate: $0) }) {
            try database.execute(
                sql: "INSERT INTO problem VALUES (?, ?, ?, ?, ?)",
                arguments: [
                    batch.directory, problem.place, problem.path?.text, problem.code?.rawValue,
                    problem.message,
                ])
        }
        try store(batch.notes, database)
        return duplicates
    }

    private static func store(_ notes: ListingNotes, _ database: Database) throws {
        func execute(_ sql: String, _ arguments: StatementArguments) throws {
            try database.cachedStatement(sql: sql).execute(arguments: arguments)
        }
        if let root = notes.root { try execute("UPDATE run SET root = ?", [root]) }
        if let token = notes.token { try execute("UPDATE run SET token = ?", [token]) }
        for directory in notes.found {
            try execute(
                "INSERT OR IGNORE INTO directory VALUES (?, ?, 0)",
                [directory.path?.text ?? "", directory.source.url])
        }
        for path in notes.finished {
            try execute(
                "INSERT INTO directory VALUES (?, '', 1) ON CONFLICT (path) DO UPDATE SET isListed = 1",
                [path])
        }
    }

    /// What earlier starts of the run know of its listings.
    func listingState() throws(DownloadError) -> ListingState {
        try explaining {
            try database.read { database in
                let run = try Row.fetchOne(database, sql: "SELECT root, token FROM run")
                var state = ListingState(root: run?["root"], token: run?["token"])
                let rows = try Row.fetchCursor(database, sql: "SELECT path, url, isListed FROM directory")
                while let row = try rows.next() {
                    let path: String = row["path"]
                    state.directories.append(
                        .init(
                            path: path.isEmpty ? nil : try RelativePath(path), url: row["url"],
                            isListed: row["isListed"] == 1))
                }
                return state
            }
        }
    }

    /// All listings of the run are stored.
    ///
    /// Files that no run ever got, and that are listed no more, are forgotten. What only an earlier start has read of a list
    /// that was read anew is no part of the run.
    func finishListing(of run: Run) throws(DownloadError) {
        try explaining {
            try database.write { database in
                try database.execute(
                    sql: "UPDATE run SET isListed = 1 WHERE id = ?", arguments: [run.id])
                if !run.goesOn {
                    try database.execute(
                        sql: "UPDATE file SET run = 0, turn = NULL, item = NULL WHERE run = ? AND pass <> ?",
                        arguments: [run.id, run.pass])
                }
                try database.execute(
                    sql: "DELETE FROM file WHERE size IS NULL AND run <> ?", arguments: [run.id])
            }
        }
    }

    /// What earlier starts of the run found that cannot be used.
    func problems() throws(DownloadError) -> [MirrorReport.Failure] {
        try explaining {
            try database.read { database in
                try Row.fetchAll(
                    database, sql: "SELECT * FROM problem LIMIT ?", arguments: [MirrorReport.mostFailures]
                ).map { row in
                    MirrorReport.Failure(
                        path: try (row["path"] as String?).map { try RelativePath($0) }, place: row["place"],
                        code: (row["code"] as Int?).map { DownloadError.Code(rawValue: $0) },
                        message: row["reason"])
                }
            }
        }
    }
}
