internal import Foundation
internal import GRDB
internal import SystemPackage

/// A record as a row of the table `download`. Dates are seconds since 2001, as `Date` keeps them: exact.
struct QueueRow: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "download"

    /// Tells a queue from other programs' databases: "sgdl".
    static let applicationID: Int32 = 0x7367_646c

    var id: Int64
    var key: String?
    var url: String
    var directory: String?
    var file: String?
    var options: Data
    var priority: Int
    var rank: Int64
    var state: String
    var hasBegun: Bool
    var startsOver: Bool
    var path: String?
    var part: String?
    var identity: Data?
    var replaces: Data?
    var bytesCompleted: Int64
    var bytesTotal: Int64?
    var attempts: Int
    var failures: Int
    var bytesAtFailure: Int64
    var seconds: Double
    var retriesAt: Double?
    var error: Data?
    var added: Double
    var started: Double?
    var ended: Double?

    /// Every version's step from the one before. A step that was released is never changed.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(sql: "PRAGMA application_id = \(applicationID)")
            try database.create(table: databaseTableName, options: .strict) { table in
                // AUTOINCREMENT: a number is never used again.
                table.autoIncrementedPrimaryKey("id")
                table.column("key", .text)
                table.column("url", .text).notNull()
                table.column("directory", .text)
                table.column("file", .text)
                table.column("options", .blob).notNull()
                table.column("priority", .integer).notNull()
                table.column("rank", .integer).notNull()
                table.column("state", .text).notNull()
                table.column("hasBegun", .integer).notNull()
                table.column("startsOver", .integer).notNull()
                table.column("path", .text)
                table.column("part", .text)
                table.column("identity", .blob)
                table.column("replaces", .blob)
                table.column("bytesCompleted", .integer).notNull()
                table.column("bytesTotal", .integer)
                table.column("attempts", .integer).notNull()
                table.column("failures", .integer).notNull()
                table.column("bytesAtFailure", .integer).notNull()
                table.column("seconds", .real).notNull()
                table.column("retriesAt", .real)
                table.column("error", .blob)
                table.column("added", .real).notNull()
                table.column("started", .real)
                table.column("ended", .real)
            }
        }
        return migrator
    }

    static func lastID(_ database: Database) throws -> Int64 {
        try Int64.fetchOne(
            database, sql: "SELECT seq FROM sqlite_sequence WHERE name = ?", arguments: [databaseTableName])
            ?? 0
    }

    /// Encodes and decodes what is stored as JSON. Most downloads of a queue have the same options: those of the last
    /// row are remembered.
    final class Coder {
        private let encoder = JSONEncoder()
        private let decoder = JSONDecoder()
        private var last: (options: QueueRecord.Options, data: Data)?

        init() {
            encoder.outputFormatting = .sortedKeys
        }

        fileprivate func encode(_ value: some Encodable) throws -> Data {
            try encoder.encode(value)
        }

        fileprivate func decode<Value: Decodable>(_ data: Data) throws -> Value {
            try decoder.decode(Value.self, from: data)
        }

        fileprivate func encode(_ options: QueueRecord.Options) throws -> Data {
            if let last, last.options == options { return last.data }
            let data = try encoder.encode(options)
            last = (options, data)
            return data
        }

        fileprivate func options(_ data: Data) throws -> QueueRecord.Options {
            if let last, last.data == data { return last.options }
            let options: QueueRecord.Options = try decode(data)
            last = (options, data)
            return options
        }
    }

    init(_ record: QueueRecord, _ coder: Coder) throws {
        id = record.id.rawValue
        key = record.key
        url = record.source.url
        switch record.destination {
        case .file(let path): file = path.string
        case .directory(let path): directory = path.string
        case .descriptor: break
        }
        options = try coder.encode(record.options)
        priority = record.priority
        rank = record.rank
        state = record.state.rawValue
        hasBegun = record.hasBegun
        startsOver = record.startsOver
        path = record.path?.string
        part = record.part?.part.string
        identity = try record.identity.map { try coder.encode($0) }
        replaces = try record.replaces.map { try coder.encode($0) }
        bytesCompleted = record.bytesCompleted
        bytesTotal = record.bytesTotal
        attempts = record.attempts
        failures = record.failures
        bytesAtFailure = record.bytesAtFailure
        seconds = record.seconds
        retriesAt = record.retriesAt?.timeIntervalSinceReferenceDate
        error = try record.error.map { try coder.encode($0) }
        added = record.added.timeIntervalSinceReferenceDate
        started = record.started?.timeIntervalSinceReferenceDate
        ended = record.ended?.timeIntervalSinceReferenceDate
    }

    /// - Throws: `DownloadError` with code `badStore` if the row makes no sense.
    fileprivate func record(_ coder: Coder) throws(DownloadError) -> QueueRecord {
        do {
            return try decoded(coder)
        } catch {
            throw DownloadError(
                .badStore, "Download \(id) of the queue makes no sense: another program has changed it.",
                cause: error)
        }
    }

    private struct Senseless: Error {}

    private func decoded(_ coder: Coder) throws -> QueueRecord {
        guard let state = DownloadState(rawValue: state),
            let destination: DownloadRequest.Destination = file.map({ .file(FilePath($0)) })
                ?? directory.map({ .directory(FilePath($0)) })
        else { throw Senseless() }
        var record = QueueRecord(
            id: Receipt.ID(rawValue: id), key: key, source: try Source(url), destination: destination,
            options: try coder.options(options), priority: priority,
            added: Date(timeIntervalSinceReferenceDate: added))
        record.rank = rank
        record.state = state
        record.hasBegun = hasBegun
        record.startsOver = startsOver
        record.path = path.map { FilePath($0) }
        if let path, let part { record.part = PartPlace(FilePath(path), part: FilePath(part)) }
        record.identity = try identity.map { try coder.decode($0) }
        record.replaces = try replaces.map { try coder.decode($0) }
        record.bytesCompleted = bytesCompleted
        record.bytesTotal = bytesTotal
        record.attempts = attempts
        record.failures = failures
        record.bytesAtFailure = bytesAtFailure
        record.seconds = seconds
        record.retriesAt = retriesAt.map { Date(timeIntervalSinceReferenceDate: $0) }
        record.error = try error.map { try coder.decode($0) }
        record.started = started.map { Date(timeIntervalSinceReferenceDate: $0) }
        record.ended = ended.map { Date(timeIntervalSinceReferenceDate: $0) }
        return record
    }
}

extension QueryInterfaceRequest<QueueRow> {
    /// Reads the records one by one.
    func forEachRecord(_ database: Database, _ body: (QueueRecord) throws -> Void) throws {
        let coder = QueueRow.Coder()
        let rows = try fetchCursor(database)
        while let row = try rows.next() { try body(row.record(coder)) }
    }
}
