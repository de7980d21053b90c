import SegmentedDL
import SegmentedDLDatabase
import SystemPackage

/// The database beside a queue in which, up to 0.2.0, commands waited for the process that had it open.
enum EarlierMailbox {
    /// Removes the mailbox of a queue if no command waits in it. Blocks.
    ///
    /// - Returns: A sentence about the waiting commands: no later process runs them, and their senders were
    ///   killed, or have ended with an error.
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
                "\(Plural.count(Int(waiting), "command")) that an earlier version of segdl left in '\(path)' will not run; send them again, and remove that file."
        }
        for ending in ["", "-wal", "-shm"] { unlink(path + ending) }
        return nil
    }
}
