import SegmentedDLDatabase

/// The table `download`, with a row for each record of a queue.
enum QueueSchema {
    static let file = DatabaseFile(
        noun: "The queue", kind: "queue",
        consolation: "Unfinished files are kept, and are resumed when they are added again.",
        size: .small, schema: schema)

    /// "sgdl" distinguishes a queue from other programs' databases.
    private static let schema = Schema(applicationID: 0x7367_646c, versions: [first])

    // AUTOINCREMENT: a number is never reused.
    private static let first = """
        CREATE TABLE download (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            key TEXT,
            url TEXT NOT NULL,
            directory TEXT,
            file TEXT,
            options BLOB NOT NULL,
            priority INTEGER NOT NULL,
            rank INTEGER NOT NULL,
            state TEXT NOT NULL,
            hasBegun INTEGER NOT NULL,
            startsOver INTEGER NOT NULL,
            path TEXT,
            part TEXT,
            identity BLOB,
            replaces BLOB,
            bytesCompleted INTEGER NOT NULL,
            bytesTotal INTEGER,
            attempts INTEGER NOT NULL,
            failures INTEGER NOT NULL,
            bytesAtFailure INTEGER NOT NULL,
            seconds REAL NOT NULL,
            retriesAt REAL,
            error BLOB,
            added REAL NOT NULL,
            started REAL,
            ended REAL
        ) STRICT
        """
}
