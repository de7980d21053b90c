#ifndef CSEGSQLITE_SHIM_H
#define CSEGSQLITE_SHIM_H

#include <sqlite3.h>

// Swift imports neither SQLITE_TRANSIENT, which is a cast, nor codes that are composed of others. SQLite
// copies the bytes; a null pointer, which is the address of an empty buffer in Swift, would bind NULL.

static inline int seg_bind_text(sqlite3_stmt *statement, int index, const void *text, sqlite3_uint64 length) {
    return sqlite3_bind_text64(statement, index, text ? (const char *)text : "", length, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int seg_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 length) {
    return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", length, SQLITE_TRANSIENT);
}

static const int seg_readonly_rollback = SQLITE_READONLY_ROLLBACK;

#endif
