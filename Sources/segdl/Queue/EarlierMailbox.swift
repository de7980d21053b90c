import SegmentedDL
import SegmentedDLDatabase
import SystemPackage

/// The database next to a queue in which versions up to 0.2.0 stored commands for the process that had it
/// open.
enum EarlierMailbox {
    /// Removes the mailbox of a queue if no command waits in it. Blocks.
    ///
    /// - Returns: A sentence about the waiting commands: they will never be run, and their senders were
    ///   killed or have exited with an error.
    static func close(of store: FilePath) -> String? {
        let path = store.string + ".control"
        guard let database = try? Database(FilePath(path), .readOnly) else { return nil }
        let waiting = try? database.first("SELECT COUNT(*) FROM message WHERE isTaken = 0") {
            try $0.integer(0)
        }
        database.close()
        guard let waiting = waiting ?? nil else { return nil }
        guard waiting == 0 else {
            return
                "\(Plural.count(Int(waiting), "command")) left by an earlier version of segdl in '\(path)' will not be run; send them again, and remove that file."
        }
        for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
        return nil
    }
}
