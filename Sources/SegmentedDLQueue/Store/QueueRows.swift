internal import Foundation
internal import GRDB
internal import SegmentedDL
internal import SystemPackage

/// Turns records into rows of the table `download`, and back. Dates are seconds since 2001, as `Date` keeps them: exact.
///
/// Statements are prepared once, and most downloads of a queue have the same options: those of the last row are
/// remembered.
final class QueueRows {
    /// In the order in which a record is written and read below.
    private static let columns = [
        "id", "key", "url", "directory", "file", "options", "priority", "rank", "state", "hasBegun",
        "startsOver", "path", "part", "identity", "replaces", "bytesCompleted", "bytesTotal", "attempts",
        "failures", "bytesAtFailure", "seconds", "retriesAt", "error", "added", "started", "ended",
    ]
    private static let selection = "SELECT \(columns.joined(separator: ", ")) FROM download"
    private static let insertion = """
        INSERT OR REPLACE INTO download (\(columns.joined(separator: ", ")))
        VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
        """

    private let database: Database
    private lazy var encoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
    private lazy var decoder = JSONDecoder()
    private var last: (options: QueueRecord.Options, data: Data)?

    init(_ database: Database) {
        self.database = database
    }

    // MARK: Reading

    /// Reads the records one by one.
    ///
    /// - Parameter order: The column that they are sorted by; none is needed for `id`.
    func forEach(by order: String, _ body: (QueueRecord) throws -> Void) throws {
        let rows = try Row.fetchCursor(database, sql: "\(Self.selection) ORDER BY \(order)")
        while let row = try rows.next() { try body(record(row)) }
    }

    func record(_ id: Receipt.ID) throws -> QueueRecord? {
        let statement = try database.cachedStatement(sql: "\(Self.selection) WHERE id = ?")
        return try Row.fetchOne(statement, arguments: [id.rawValue]).map(record)
    }

    /// - Throws: `DownloadError` with code `badStore` if the row makes no sense.
    private func record(_ row: Row) throws(DownloadError) -> QueueRecord {
        do {
            return try decoded(RowReader(row))
        } catch {
            let id = Int64.fromDatabaseValue(row[0]).map { " \($0)" } ?? ""
            throw DownloadError(
                .badStore, "Download\(id) of the queue makes no sense: another program has changed it.",
                cause: error)
        }
    }

    private func decoded(_ reader: consuming RowReader) throws -> QueueRecord {
        let id = Receipt.ID(rawValue: try reader.next())
        let key: String? = try reader.nextIfAny()
        let source = try Source(reader.next() as String)
        let directory = try reader.nextPath()
        let file = try reader.nextPath()
        guard
            let destination = file.map(DownloadRequest.Destination.file) ?? directory.map({ .directory($0) })
        else { throw RowReader.Senseless() }
        let options = try options(reader.next())
        let priority: Int = try reader.next()
        let rank: Int64 = try reader.next()
        guard let state = DownloadState(rawValue: try reader.next()) else { throw RowReader.Senseless() }
        let (hasBegun, startsOver): (Bool, Bool) = (try reader.next(), try reader.next())
        let (path, part) = (try reader.nextPath(), try reader.nextPath())
        let identity: FileIdentity? = try reader.nextJSON(decoder)
        let replaces: FileIdentity? = try reader.nextJSON(decoder)
        let bytesCompleted: Int64 = try reader.next()
        let bytesTotal: Int64? = try reader.nextIfAny()
        let (attempts, failures): (Int, Int) = (try reader.next(), try reader.next())
        let bytesAtFailure: Int64 = try reader.next()
        let seconds: Double = try reader.next()
        let retriesAt = try reader.nextDate()
        let error: Receipt.Failure? = try reader.nextJSON(decoder)
        guard let added = try reader.nextDate() else { throw RowReader.Senseless() }

        var record = QueueRecord(
            id: id, key: key, source: source, destination: destination, options: options, priority: priority,
            added: added)
        record.rank = rank
        record.state = state
        record.hasBegun = hasBegun
        record.startsOver = startsOver
        record.path = path
        if let path, let part { record.part = DownloadPaths(path, part: part) }
        record.identity = identity
        record.replaces = replaces
        record.bytesCompleted = bytesCompleted
        record.bytesTotal = bytesTotal
        record.attempts = attempts
        record.failures = failures
        record.bytesAtFailure = bytesAtFailure
        record.seconds = seconds
        record.retriesAt = retriesAt
        record.error = error
        record.started = try reader.nextDate()
        record.ended = try reader.nextDate()
        return record
    }

    private func options(_ data: Data) throws -> QueueRecord.Options {
        if let last, last.data == data { return last.options }
        let options = try decoder.decode(QueueRecord.Options.self, from: data)
        last = (options, data)
        return options
    }

    // MARK: Writing

    func save(_ record: QueueRecord) throws {
        try database.cachedStatement(sql: Self.insertion).execute(
            arguments: StatementArguments(try values(record)))
    }

    func erase(_ id: Receipt.ID) throws {
        try database.cachedStatement(sql: "DELETE FROM download WHERE id = ?").execute(
            arguments: [id.rawValue])
    }

    private func values(_ record: QueueRecord) throws -> [(any DatabaseValueConvertible)?] {
        var (file, directory): (String?, String?)
        switch record.destination {
        case .file(let path): file = path.string
        case .directory(let path): directory = path.string
        case .descriptor: break
        }
        return [
            record.id.rawValue, record.key, record.source.url, directory, file, try data(record.options),
            record.priority, record.rank, record.state.rawValue, record.hasBegun, record.startsOver,
            record.path?.string, record.part?.part.string, try record.identity.map { try encoder.encode($0) },
            try record.replaces.map { try encoder.encode($0) }, record.bytesCompleted, record.bytesTotal,
            record.attempts, record.failures, record.bytesAtFailure, record.seconds,
            record.retriesAt?.timeIntervalSinceReferenceDate, try record.error.map { try encoder.encode($0) },
            record.added.timeIntervalSinceReferenceDate, record.started?.timeIntervalSinceReferenceDate,
            record.ended?.timeIntervalSinceReferenceDate,
        ]
    }

    private func data(_ options: QueueRecord.Options) throws -> Data {
        if let last, last.options == options { return last.data }
        let data = try encoder.encode(options)
        last = (options, data)
        return data
    }
}

/// A row's values one after the other. What is of another type than expected is an error.
private struct RowReader {
    struct Senseless: Error {}

    private let row: Row
    private var index = 0

    init(_ row: Row) {
        self.row = row
    }

    mutating func nextIfAny<Value: DatabaseValueConvertible>() throws -> Value? {
        let stored: DatabaseValue = row[index]
        index += 1
        if stored.isNull { return nil }
        guard let value = Value.fromDatabaseValue(stored) else { throw Senseless() }
        return value
    }

    mutating func next<Value: DatabaseValueConvertible>() throws -> Value {
        guard let value: Value = try nextIfAny() else { throw Senseless() }
        return value
    }

    mutating func nextPath() throws -> FilePath? {
        try nextIfAny().map { (text: String) in FilePath(text) }
    }

    mutating func nextDate() throws -> Date? {
        try nextIfAny().map { (seconds: Double) in Date(timeIntervalSinceReferenceDate: seconds) }
    }

    mutating func nextJSON<Value: Decodable>(_ decoder: JSONDecoder) throws -> Value? {
        try nextIfAny().map { (data: Data) in try decoder.decode(Value.self, from: data) }
    }
}
