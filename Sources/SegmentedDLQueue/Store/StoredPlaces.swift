import SegmentedDL
import SegmentedDLDatabase
internal import SystemPackage

/// The directories that contain a queue's paths: that of its store, and those that the program names.
///
/// The rows have absolute paths, like those of earlier versions, and the table `place` has the paths of these
/// directories when the queue was last opened. It is not part of the schema version, so earlier versions can
/// still open the queue.
struct StoredPlaces {
    private static let table =
        "CREATE TABLE IF NOT EXISTS place (name TEXT PRIMARY KEY, path TEXT NOT NULL) STRICT"
    /// The names of the store's own directory, as given and with links resolved; names chosen by programs
    /// cannot begin with a colon.
    private static let (own, ownReal) = (":store", ":store-real")

    private let places: [String: FilePath]

    /// - Parameters:
    ///   - store: The path of the database, as given by the program.
    ///   - roots: The directories of the program.
    init(store: FilePath, roots: [String: FilePath]) throws(DownloadError) {
        var places: [String: FilePath] = [:]
        for (name, root) in roots {
            try SegmentedDL.require(
                !name.isEmpty && !name.hasPrefix(":"), "'\(name)' is not a name for a directory.")
            places[name] = try root.storable()
        }
        places[Self.own] = try store.storable().directory
        places[Self.ownReal] = SystemCalls.resolved(store).directory
        self.places = places
    }

    /// Updates the paths in the rows whose directories have moved, and stores the new locations. Blocks.
    ///
    /// A store that was copied has two possible directories; its files are in the one that still exists.
    func update(_ database: Database) throws {
        try database.transaction {
            try database.run(Self.table)
            var moves: Set<Move> = []
            for (name, new) in places {
                let old = try database.first("SELECT path FROM place WHERE name = ?", [name]) {
                    FilePath(try $0.text(0))
                }
                guard old != new else { continue }
                let isOwn = name == Self.own || name == Self.ownReal
                if let old, !isOwn || !Self.isThere(old) { moves.insert(Move(old: old, new: new)) }
                try database.execute(
                    "INSERT OR REPLACE INTO place (name, path) VALUES (?, ?)", [name, new.string])
            }
            // Innermost directories first, so that their files are no longer found in the outer one.
            let ordered = moves.sorted { $0.old.string.utf8.count > $1.old.string.utf8.count }
            for move in ordered { try Self.apply(move, database) }
        }
    }

    private static func isThere(_ path: FilePath) -> Bool {
        ((try? SystemCalls.statusIfThere(path)) ?? nil) != nil
    }

    private static func apply(_ move: Move, _ database: Database) throws {
        let (old, new) = (move.old.string, move.new.string)
        for column in ["directory", "file", "path", "part"] {
            // `length` counts characters, like `substr`.
            try database.execute(
                """
                UPDATE download SET \(column) = ? || substr(\(column), length(?) + 1)
                WHERE \(column) = ? OR substr(\(column), 1, length(?) + 1) = ? || '/'
                """, [new, old, old, old, old])
        }
    }
}
