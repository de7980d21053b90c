import SegmentedDLDatabase

/// The tables of a mirror's database.
enum MirrorSchema {
    static let file = DatabaseFile(
        noun: "The mirror's state", kind: "mirror's state",
        consolation: "Existing files are then compared with the server's again.", size: .large,
        schema: schema)

    /// "sgmr" distinguishes a mirror's state from other programs' databases.
    private static let schema = Schema(applicationID: 0x7367_6d72, versions: [first, second, third])

    private static let first = """
        -- One row: the current or last run.
        CREATE TABLE run (
            id INTEGER PRIMARY KEY,
            source TEXT NOT NULL,
            pass INTEGER NOT NULL,
            touched INTEGER NOT NULL,
            isListed INTEGER NOT NULL,
            isEnded INTEGER NOT NULL,
            root TEXT,
            token TEXT
        ) STRICT;

        -- The directories of this run; the path of the first one is empty.
        CREATE TABLE directory (
            path TEXT PRIMARY KEY NOT NULL,
            url TEXT NOT NULL,
            isListed INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- The entries of this run's listings that are unusable.
        CREATE TABLE problem (
            directory TEXT NOT NULL,
            place TEXT NOT NULL,
            path TEXT,
            code INTEGER,
            reason TEXT NOT NULL
        ) STRICT;

        CREATE TABLE file (
            id INTEGER PRIMARY KEY,
            path TEXT NOT NULL UNIQUE,
            -- The last run whose source listed the file, and the number of that run's start.
            run INTEGER NOT NULL,
            pass INTEGER NOT NULL,
            -- Its position among the waiting files of this run; null once the file is present.
            turn INTEGER,
            item BLOB,
            -- The file on disk; null if this library has not written one.
            url TEXT,
            size INTEGER,
            sha256 TEXT,
            digest TEXT,
            etag TEXT,
            lastModified TEXT,
            inode INTEGER,
            modified INTEGER,
            boot TEXT,
            checked INTEGER
        ) STRICT;
        CREATE INDEX waiting ON file (turn) WHERE turn IS NOT NULL;

        -- The identity of the last proof, to distinguish it from another program's file.
        CREATE TABLE proof (
            path TEXT PRIMARY KEY NOT NULL,
            inode INTEGER NOT NULL,
            size INTEGER NOT NULL,
            modified INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Waiting files were stored in another format, so the next run lists them again.
    private static let second = "UPDATE run SET isEnded = 1"

    /// Adds the run of the last proof, and its number of files.
    private static let third = """
        ALTER TABLE proof ADD COLUMN run INTEGER;
        ALTER TABLE proof ADD COLUMN files INTEGER;
        """
}
