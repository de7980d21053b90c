package import SegmentedDL
internal import SystemPackage

/// Determines whether a directory can hold a database, by creating one.
package enum DatabaseProbe {
    /// The endings of SQLite's files after the database's name.
    static let endings = ["", "-journal", "-wal", "-shm"]

    /// Returns true if files can be created in the directory, but not a database, because its file system
    /// does not let a program change a file in place, such as `rclone mount` without a cache. Blocks.
    package static func isRefused(in directory: FilePath) -> Bool {
        let path = name(in: directory)
        for locks in [true, false] {
            defer { remove(path) }
            do throws(DatabaseError) {
                let database = try Database(path, .readWrite, locks: locks)
                defer { database.close() }
                try database.run("CREATE TABLE t (c); INSERT INTO t VALUES (1); UPDATE t SET c = 2;")
                return false
            } catch {
                guard [.inputOutput, .cannotOpen, .readOnly, .permission].contains(error.code) else {
                    return false
                }
            }
        }
        // Use another name, because a mount may still be removing the previous files.
        return takesFiles(name(in: directory))
    }

    private static func name(in directory: FilePath) -> FilePath {
        (directory.isEmpty ? FilePath(".") : directory)
            .appending(".segdl-name-\(UInt64.random(in: 0 ... .max))")
    }

    /// Removes a database's files.
    static func remove(_ path: FilePath) {
        for ending in endings { NameProbe.discard(FilePath(path.string + ending)) }
    }

    private static func takesFiles(_ path: FilePath) -> Bool {
        do {
            try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite]
            ).close()
            NameProbe.discard(path)
            return true
        } catch {
            return false
        }
    }
}
