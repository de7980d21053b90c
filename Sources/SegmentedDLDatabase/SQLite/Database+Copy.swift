internal import CSegSQLite

extension Database {
    /// Makes another database a copy of this one.
    package func copy(to other: Database) throws(DatabaseError) {
        let (source, destination) = (try handle(), try other.handle())
        guard let backup = sqlite3_backup_init(destination, "main", source, "main") else {
            throw DatabaseError(sqlite3_errcode(destination), of: destination)
        }
        let code = sqlite3_backup_step(backup, -1)
        sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else { throw DatabaseError(code, of: destination) }
    }
}
