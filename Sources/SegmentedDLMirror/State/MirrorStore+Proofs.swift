import SegmentedDL
import SegmentedDLDatabase

/// A written proof.
struct WrittenProof: Equatable, Sendable {
    var identity: FileIdentity
    /// The run that it proves; `nil` if unknown.
    var run: Int64?
    /// The number of files in it; `nil` if unknown.
    var files: Int?
    /// The SHA-256 of its content; `nil` if unknown. It is stored, but not read with the proof.
    var sha256: String?
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

    /// The SHA-256 of the written proofs of a length. A file with one of these digests is a proof, wherever
    /// it is and whatever its inode and date are: some file systems and tools do not keep these.
    func proofDigests(ofSize size: Int64) throws(DownloadError) -> [String] {
        try use { database -> [String] in
            try database.execute(Self.digestTable)
            return try database.all("SELECT sha256 FROM proofDigest WHERE size = ?", [size]) {
                try $0.text(0)
            }
        }
    }

    /// Created on demand, not by a new version of the database, so that 0.2.0 can still open the state.
    private static let digestTable = """
        CREATE TABLE IF NOT EXISTS proofDigest (
            path TEXT PRIMARY KEY NOT NULL,
            size INTEGER NOT NULL,
            sha256 TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """

    /// The proofs of the files with a content. Created on demand, like the table above.
    static let copyProofTable = """
        CREATE TABLE IF NOT EXISTS copyProof (
            id INTEGER PRIMARY KEY,
            sha256 TEXT NOT NULL,
            text TEXT NOT NULL
        ) STRICT
        """

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
            guard let sha256 = proof.sha256 else { return }
            try database.execute(Self.digestTable)
            try database.execute(
                "INSERT OR REPLACE INTO proofDigest (path, size, sha256) VALUES (?, ?, ?)",
                [path, proof.identity.size, sha256])
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
