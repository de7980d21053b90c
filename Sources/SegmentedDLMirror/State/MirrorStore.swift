import SegmentedDL
import SegmentedDLDatabase
internal import SystemPackage

/// The SQLite database of a mirror, opened exclusively by this process. Every call blocks.
///
/// It is also the queue of a run, so that a run with millions of files needs little memory and survives a
/// kill: a listing's entries are stored together with the listing's progress, and a file is recorded before
/// it is renamed.
final class MirrorStore: Sendable {
    /// The maximum age of an unfinished run that can be resumed: older listings are outdated.
    private static let resumableSeconds: Int64 = 24 * 60 * 60

    /// The run for which a store was opened.
    struct Run: Equatable, Sendable {
        var id: Int64
        /// The number of this start of the run. A path may occur only once per start.
        var pass: Int64
        /// True if listings of an earlier start are kept. Otherwise all of them are read again, but files
        /// that are complete are not fetched again.
        var isResumed: Bool
        /// True if all listings are in the database.
        var isListed: Bool
    }

    let path: FilePath
    private let lock: StoreLock?
    /// False if the file system has no locks: then other processes are not excluded.
    var isLocked: Bool { lock?.isHeld ?? true }
    private let database: SharedDatabase

    /// Opens the database, or creates it.
    ///
    /// - Parameter durability: With `power`, a file's record is durable before the file is renamed.
    /// - Throws: `DownloadError` with code `locked` if another process is mirroring to the same directory,
    ///   `badStore` if the file is damaged or of a newer version, or an error of the disk.
    init(path: FilePath, durability: Durability = .power) throws(DownloadError) {
        let path = SystemCalls.resolved(path)
        self.path = path
        let (lock, database) = try MirrorSchema.file.open(path, isDurable: durability == .power)
        self.lock = lock
        self.database = SharedDatabase(database)
    }

    /// Creates a copy of the database that is deleted when it is closed. The original is only read; if it
    /// does not exist, the copy is empty.
    init(copyOf original: FilePath?) throws(DownloadError) {
        let path = original ?? "(in memory)"
        self.path = path
        lock = nil
        database = try MirrorSchema.file.explaining(path) {
            let copy = try Database.temporary()
            if let original,
                try storageCall("look at", original, { try SystemCalls.statusIfThere(original) }) != nil
            {
                try MirrorSchema.file.examined(original).copy(to: copy)
            }
            try MirrorSchema.file.schema.update(copy)
            return SharedDatabase(copy)
        }
    }

    /// Begins a run, or resumes an unfinished one.
    ///
    /// - Parameters:
    ///   - source: The identity of the source and its filter; `nil` if they have none.
    ///   - startsOver: True to discard an unfinished run.
    ///   - now: Seconds since 1970.
    func begin(_ source: String?, startsOver: Bool, now: Int64) throws(DownloadError) -> Run {
        try write { database in
            let last = try database.first(LastRun.selection, [], LastRun.init)
            if let last, let source, !startsOver, !last.isEnded, last.source == source,
                now - last.touched < Self.resumableSeconds
            {
                return try Self.resume(last, now, database)
            }
            let id = (last?.id ?? 0) + 1
            try database.run("DELETE FROM run; DELETE FROM directory; DELETE FROM problem")
            try database.execute(Self.forgetWaiting)
            try database.execute(
                "INSERT INTO run VALUES (?, ?, 1, ?, 0, 0, NULL, NULL)", [id, source ?? "", now])
            return Run(id: id, pass: 1, isResumed: false, isListed: false)
        }
    }

    private static let forgetWaiting = "UPDATE file SET turn = NULL, item = NULL WHERE turn IS NOT NULL"

    private static func resume(_ last: LastRun, _ now: Int64, _ database: Database) throws -> Run {
        try database.execute("UPDATE run SET pass = pass + 1, touched = ?", [now])
        let pass = last.pass + 1
        guard last.isListed || last.hasBegunListing else {
            try database.execute("DELETE FROM problem")
            try database.execute(forgetWaiting)
            return Run(id: last.id, pass: pass, isResumed: false, isListed: false)
        }
        guard !last.isListed else { return Run(id: last.id, pass: pass, isResumed: true, isListed: true) }
        // Unfinished directories are listed again.
        try database.execute(
            "DELETE FROM problem WHERE directory NOT IN (SELECT path FROM directory WHERE isListed)")
        return Run(id: last.id, pass: pass, isResumed: true, isListed: false)
    }

    /// The run that was started last.
    private struct LastRun {
        static let selection = """
            SELECT id, source, pass, touched, isListed, isEnded, root IS NOT NULL OR token IS NOT NULL
            FROM run ORDER BY id DESC LIMIT 1
            """

        let id: Int64
        let source: String
        let pass: Int64
        /// Seconds since 1970.
        let touched: Int64
        let isListed: Bool
        let isEnded: Bool
        let hasBegunListing: Bool

        init(_ row: Row) throws(DatabaseError) {
            id = try row.integer(0)
            source = try row.text(1)
            pass = try row.integer(2)
            touched = try row.integer(3)
            isListed = try row.integer(4) == 1
            isEnded = try row.integer(5) != 0
            hasBegunListing = try row.bool(6)
        }
    }

    /// Returns the time at which a run was last started or ended, in seconds since 1970; `nil` if there was
    /// none.
    func lastStart() throws(DownloadError) -> Int64? {
        try use { try $0.first(LastRun.selection, [], LastRun.init)?.touched }
    }

    /// Returns the number of complete files of the run, and their total length in bytes.
    func done(in run: Run) throws(DownloadError) -> (files: Int, bytes: Int64) {
        try use { database in
            try database.first(
                "SELECT COUNT(*), TOTAL(size) FROM file WHERE run = ? AND turn IS NULL AND size IS NOT NULL",
                [run.id]
            ) { (files: Int(try $0.integer(0)), bytes: Int64(try $0.real(1))) } ?? (files: 0, bytes: 0)
        }
    }

    /// Returns the number of files listed in the run.
    func listed(in run: Run) throws(DownloadError) -> Int {
        try use { database in
            Int(
                try database.first("SELECT COUNT(*) FROM file WHERE run = ?", [run.id]) { try $0.integer(0) }
                    ?? 0)
        }
    }

    /// Marks the run as complete, so that the next one starts from the beginning.
    func end(_ run: Run, now: Int64) throws(DownloadError) {
        try use { try $0.execute("UPDATE run SET isEnded = 1, touched = ? WHERE id = ?", [now, run.id]) }
    }

    /// Closes the database. Later calls throw.
    func close() {
        database.close()
        lock?.release()
    }

    // MARK: For its extensions

    /// Runs `body` with the database, and adds explanations to its errors.
    func use<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        try MirrorSchema.file.explaining(path) { try database.use(body) }
    }

    /// Like `use`, in a transaction: applies all changes of `body`, or none.
    func write<Value>(_ body: (Database) throws -> Value) throws(DownloadError) -> Value {
        try MirrorSchema.file.explaining(path) { try database.write(body) }
    }

    /// Returns the value of a query with one row and one column.
    func holds(_ sql: String, _ values: [(any Bindable)?]) throws(DownloadError) -> Bool {
        try use { try $0.first(sql, values) { try $0.bool(0) } ?? false }
    }
}
