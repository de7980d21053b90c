internal import GRDB
internal import SegmentedDL

/// A proof that was written.
struct WrittenProof: Equatable, Sendable {
    var identity: FileIdentity
    /// The run that it is of; `nil` if that is not known.
    var run: Int64?
    /// How many files it has.
    var files: Int?
}

extension MirrorStore {
    /// What a proof was when it was written last; `nil` if none was written there.
    func proof(at path: String) throws(DownloadError) -> WrittenProof? {
        try explaining {
            try database.read { database in
                try Row.fetchOne(database, sql: "SELECT * FROM proof WHERE path = ?", arguments: [path]).map {
                    WrittenProof(
                        identity: FileIdentity(
                            inode: UInt64(bitPattern: $0["inode"] as Int64), size: $0["size"],
                            modified: $0["modified"]),
                        run: $0["run"], files: $0["files"])
                }
            }
        }
    }

    /// Whether a file is a proof that was written, or a copy of it, wherever its directory is by now: nobody else's has that
    /// length and date to the nanosecond.
    func isProof(_ file: FileIdentity) throws(DownloadError) -> Bool {
        try explaining {
            try database.read {
                try Bool.fetchOne(
                    $0,
                    sql: "SELECT EXISTS (SELECT 1 FROM proof WHERE size = ? AND modified = ?)",
                    arguments: [file.size, file.modified]) ?? false
            }
        }
    }

    /// Where proofs were written.
    func proofs() throws(DownloadError) -> Set<String> {
        try explaining { try database.read { try String.fetchSet($0, sql: "SELECT path FROM proof") } }
    }

    func note(_ proof: WrittenProof, at path: String) throws(DownloadError) {
        try explaining {
            try database.write { database in
                try database.execute(
                    sql: "INSERT OR REPLACE INTO proof VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [
                        path, Int64(bitPattern: proof.identity.inode), proof.identity.size,
                        proof.identity.modified, proof.run, proof.files,
                    ])
            }
        }
    }

    /// Whether a run has the very files that the one before it had. What is known of each is another question.
    ///
    /// - Parameters:
    ///   - files: How many files of the run are there.
    ///   - before: How many the one before it had.
    func hasSameFiles(_ run: Run, _ files: Int, before: Int) throws(DownloadError) -> Bool {
        guard files == before else { return false }
        return try explaining {
            try database.read { database in
                // As many as before, and none of those is missing: neither listed no more nor not there yet.
                try Bool.fetchOne(
                    database,
                    sql: """
                        SELECT NOT EXISTS (SELECT 1 FROM file WHERE turn IS NOT NULL)
                        AND NOT EXISTS (SELECT 1 FROM file WHERE run = ? AND size IS NOT NULL)
                        """, arguments: [run.id - 1]) ?? false
            }
        }
    }
}
