import SegmentedDL
import SegmentedDLDatabase

/// A written proof.
struct WrittenProof: Equatable, Sendable {
    var identity: FileIdentity
    /// The run that it proves; `nil` if unknown.
    var run: Int64?
    /// The number of files in it; `nil` if unknown.
    var files: Int?
}

extension MirrorStore {
    /// The proof last written at a path; `nil` if none was.
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

    /// Returns true if a file is a written proof or a copy of it, in any directory: no other file has the
    /// same length and modification time to the nanosecond.
    func isProof(_ file: FileIdentity) throws(DownloadError) -> Bool {
        try holds(
            "SELECT EXISTS (SELECT 1 FROM proof WHERE size = ? AND modified = ?)", [file.size, file.modified])
    }

    /// The paths at which proofs were written.
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

    /// Returns true if a run has exactly the same files as the previous run. Their content may differ.
    ///
    /// - Parameters:
    ///   - files: The number of files of the run that are present.
    ///   - before: The number of files of the previous run.
    func hasSameFiles(_ run: Run, _ files: Int, before: Int) throws(DownloadError) -> Bool {
        guard files == before else { return false }
        // The number is the same, no file is waiting, and none is missing from the listings.
        return try holds(
            """
            SELECT NOT EXISTS (SELECT 1 FROM file WHERE turn IS NOT NULL)
            AND NOT EXISTS (SELECT 1 FROM file WHERE run = ? AND size IS NOT NULL)
            """, [run.id - 1])
    }
}
