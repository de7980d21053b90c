internal import Foundation
internal import GRDB
internal import SegmentedDL
import SegmentedDLDatabase
internal import SystemPackage

/// The SQLite database of a mirror, open for this process alone. Every call blocks.
///
/// It is also the queue of what is still to do, so that neither a million files nor a kill matter: a listing's entries
/// are stored together with how far the listing is, and a file together with what is known of it, before it has its name.
final class MirrorStore: Sendable {
    /// How long an unfinished run is gone on with, in seconds: later its listings are too old.
    private static let patience: Int64 = 24 * 60 * 60

    /// The run that a store was opened for.
    struct Run: Equatable, Sendable {
        var id: Int64
        /// Which start of it this is: within one, a path may come once.
        var pass: Int64
        /// Whether listings of an earlier start are kept. If not, all of them are read anew, but files that it has had are
        /// not asked for again.
        var goesOn: Bool
        /// Whether all listings are in the database.
        var isListed: Bool
    }

    let path: FilePath
    private let lock: StoreLock?
    let database: DatabaseQueue

    /// Opens the database, or makes it.
    ///
    /// - Throws: `DownloadError` with code `locked` if another process mirrors to the same place, `badStore` if the
    ///   file is damaged or of a newer version, else a disk's.
    init(path: FilePath) throws(DownloadError) {
        let path = SystemCalls.resolved(path)
        self.path = path
        do {
            lock = try StoreLock(for: path, of: MirrorSchema.file.noun)
            try DatabaseFile.makePrivate(path)
            database = try MirrorSchema.file.open(path, isDurable: false)
        } catch {
            throw MirrorSchema.file.explained(error, path)
        }
    }

    /// Makes a copy of the database that is gone when it is closed. The original is only read.
    init(copyOf path: FilePath) throws(DownloadError) {
        self.path = path
        lock = nil
        do {
            // An empty name is a database of its own in a temporary file.
            database = try DatabaseQueue(path: "")
            let isThere = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) != nil
            if isThere { try MirrorSchema.file.examined(path).backup(to: database) }
            try MirrorSchema.file.migrator().migrate(database)
        } catch {
            throw MirrorSchema.file.explained(error, path)
        }
    }

    /// Begins a run, or goes on with one that was not finished.
    ///
    /// - Parameters:
    ///   - source: What tells one source and its filter from another; `nil` if nothing does.
    ///   - startsOver: Whether an unfinished run is given up.
    ///   - now: Seconds since 1970.
    func begin(_ source: String?, startsOver: Bool, now: Int64) throws(DownloadError) -> Run {
        try explaining {
            try database.write { database in
                let last = try Row.fetchOne(database, sql: "SELECT * FROM run ORDER BY id DESC LIMIT 1")
                if let last, let source, !startsOver, last["isEnded"] == 0, last["source"] == source,
                    now - (last["touched"] as Int64) < Self.patience
                {
                    return try Self.goOn(last, now, database)
                }
                let id = (last?["id"] ?? 0) + 1 as Int64
                try database.execute(
                    sql: """
                        DELETE FROM run; DELETE FROM directory; DELETE FROM problem;
                        UPDATE file SET turn = NULL, item = NULL WHERE turn IS NOT NULL;
                        """)
                try database.execute(
                    sql: "INSERT INTO run VALUES (?, ?, 1, ?, 0, 0, NULL, NULL)",
                    arguments: [id, source ?? "", now])
                return Run(id: id, pass: 1, goesOn: false, isListed: false)
            }
        }
    }

    private static func goOn(_ last: Row, _ now: Int64, _ database: Database) throws -> Run {
        try database.execute(sql: "UPDATE run SET pass = pass + 1, touched = ?", arguments: [now])
        let (id, pass): (Int64, Int64) = (last["id"], (last["pass"] as Int64) + 1)
        let isListed = last["isListed"] == 1
        guard isListed || last["root"] as String? != nil || last["token"] as String? != nil else {
            try database.execute(
                sql: """
                    DELETE FROM problem;
                    UPDATE file SET turn = NULL, item = NULL WHERE turn IS NOT NULL;
                    """)
            return Run(id: id, pass: pass, goesOn: false, isListed: false)
        }
        guard !isListed else { return Run(id: id, pass: pass, goesOn: true, isListed: true) }
        // Directories that are not finished are listed again.
        try database.execute(
            sql: """
                DELETE FROM problem WHERE directory NOT IN (SELECT path FROM directory WHERE isListed)
                """)
        return Run(id: id, pass: pass, goesOn: true, isListed: false)
    }

    /// How many files of the run are there, and their bytes.
    func done(in run: Run) throws(DownloadError) -> (files: Int, bytes: Int64) {
        try explaining {
            try database.read { database in
                let row = try Row.fetchOne(
                    database,
                    sql: """
                        SELECT COUNT(*) AS files, TOTAL(size) AS bytes FROM file
                        WHERE run = ? AND turn IS NULL AND size IS NOT NULL
                        """, arguments: [run.id])
                return (row?["files"] ?? 0, Int64((row?["bytes"] ?? 0) as Double))
            }
        }
    }

    /// How many files are listed in the run.
    func listed(in run: Run) throws(DownloadError) -> Int {
        try explaining {
            try database.read {
                try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM file WHERE run = ?", arguments: [run.id]) ?? 0
            }
        }
    }

    /// Everything of the run is done: the next one begins anew.
    func end(_ run: Run, now: Int64) throws(DownloadError) {
        try explaining {
            try database.write { database in
                try database.execute(
                    sql: "UPDATE run SET isEnded = 1, touched = ? WHERE id = ?", arguments: [now, run.id])
            }
        }
    }

    /// Nothing may be asked of it after.
    func close() {
        try? database.close()
        lock?.release()
    }

    func explaining<Result>(_ body: () throws -> Result) throws(DownloadError) -> Result {
        do {
            return try body()
        } catch {
            throw MirrorSchema.file.explained(error, path)
        }
    }
}
