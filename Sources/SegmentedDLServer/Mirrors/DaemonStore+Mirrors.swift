internal import SegmentedDLDatabase

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The mirrors, in the same database.
extension DaemonStore {
    /// Stores a new mirror. The change survives a power cut.
    ///
    /// - Throws: `DatabaseError`.
    func add(_ mirror: MirrorRecord, of id: GID) throws {
        let content = Array(try JSONEncoder().encode(mirror))
        try database.execute("INSERT INTO mirror (id, content) VALUES (?, ?)", [id.description, content])
    }

    /// Stores the current state of a mirror, unless it was removed.
    ///
    /// - Throws: `DatabaseError`.
    func update(_ mirror: MirrorRecord, of id: GID) throws {
        let content = Array(try JSONEncoder().encode(mirror))
        try database.execute("UPDATE mirror SET content = ? WHERE id = ?", [content, id.description])
    }

    /// - Throws: `DatabaseError`.
    func eraseMirror(_ id: GID) throws {
        try database.execute("DELETE FROM mirror WHERE id = ?", [id.description])
    }

    /// Returns all mirrors in the order in which they were added, except those that cannot be read.
    ///
    /// - Throws: `DatabaseError`.
    func mirrors() throws -> [(id: GID, record: MirrorRecord)] {
        let rows = try database.all("SELECT id, content FROM mirror ORDER BY place") { row in
            (try row.text(0), try row.bytes(1))
        }
        return rows.compactMap { id, content in
            guard let id = GID(id),
                let record = try? JSONDecoder().decode(MirrorRecord.self, from: Data(content))
            else { return nil }
            return (id, record)
        }
    }
}
