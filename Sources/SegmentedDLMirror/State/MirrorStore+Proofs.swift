import SegmentedDL
import SegmentedDLDatabase

/// A proof that was written.
struct WrittenProof: Equatable, Sendable {
    var identity: FileIdentity
    /// The run that it is of; `nil` if that is not known.
    var run: Int64?
    /// How many files it has.
    var files: Int?
}

extension MirrorStore {
    /// The proof that was last written at a path; `nil` if none was.
    func proof(at path: String) throws(DownloadError) -> WrittenProof? {
        try use { database in
            try database.first("SELECT inode, size, modified, run, files FROM proof WHERE path = ?", [path]) {
                row in
                WrittenProof(
                    identity: FileIdentity(
                        inode: UInt64(bitPattern: try row.integer(0)), size: try row.integer(1),
                        modified: try row.integer(2)),
                    run: try row.optionalInteger(3), files: try row.optionalInteger(4).map { Int($0) })
            }
        }
    }

    /// Returns true if a file is a proof that was written, or a copy of it, in any directory: no other file
    /// has that length and date to the nanosecond.
    func isProof(_ file: FileIdentity) throws(DownloadError) -> Bool {
        try holds(
            "SELECT EXISTS (SELECT 1 FROM proof WHERE size = ? AND modified = ?)", [file.size, file.modified])
    }

    /// The paths where proofs were written.
    func proofs() throws(DownloadError) -> Set<String> {
        try use { Set(try $0.all("SELECT path FROM proof") { try $0.text(0) }) }
    }

    func note(_ proof: WrittenProof, at path: String) throws(DownloadError) {
        try use { database in
            try database.execute(
                "INSERT OR REPLACE INTO proof (path, inode, size, modified, run, files) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    path, Int64(bitPattern: proof.identity.inode), proof.identity.size,
                    proof.identity.modified,
                    proof.run, proof.files,
                ])
        }
    }

    /// Returns true if a run has the very files that the one before it had. Their content is another
    /// question.
    ///
    /// - Parameters:
    ///   - files: The number of files of the run that are there.
    ///   - before: The number of files of the run before it.
    func hasSameFiles(_ run: Run, _ files: Int, before: Int) throws(DownloadError) -> Bool {
        guard files == before else { return false }
        // The same count, and no file is pending or no longer listed.
        return try holds(
            """
            SELECT NOT EXISTS (SELECT 1 FROM file WHERE turn IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM file WHERE run = ? AND size IS NOT NULL)
            """, [run.id - 1])
    }
}
