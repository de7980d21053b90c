import SegmentedDL
import SegmentedDLDatabase
internal import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Converts records to rows of the table `download` and back. Dates are seconds since 2001, as in `Date`,
/// which is exact.
///
/// Most downloads of a queue have the same options, so those of the last row are cached.
final class QueueRows {
    /// The order must match the code below that writes and reads records.
    private static let columns = [
        "id", "key", "url", "directory", "file", "options", "priority", "rank", "state", "hasBegun",
        "startsOver", "path", "part", "identity", "replaces", "bytesCompleted", "bytesTotal", "attempts",
        "failures", "bytesAtFailure", "seconds", "retriesAt", "error", "added", "started", "ended",
    ]
    private static let selection = "SELECT \(columns.joined(separator: ", ")) FROM download"
    private static let selectionByID = "\(selection) WHERE id = ?"
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
    private var last: (record: QueueRecord, bytes: [UInt8])?

    init(_ database: Database) {
        self.database = database
    }

    // MARK: Reading

    /// The highest number that any row has ever had.
    func lastID() throws -> Int64 {
        try database.first("SELECT seq FROM sqlite_sequence WHERE name = 'download'") { try $0.integer(0) }
            ?? 0
    }

    /// Reads the records one by one.
    ///
    /// - Parameter order: The column that they are sorted by; not necessary for `id`.
    func forEach(by order: String, _ body: (QueueRecord) throws -> Void) throws {
        try database.forEach("\(Self.selection) ORDER BY \(order)") { try body(record($0)) }
    }

    func record(_ id: Receipt.ID) throws -> QueueRecord? {
        try database.first(Self.selectionByID, [id.rawValue]) { try record($0) }
    }

    /// - Throws: `DownloadError` with code `badStore` if the row is invalid.
    private func record(_ row: Row) throws(DownloadError) -> QueueRecord {
        do {
            return try decoded(RowReader(row))
        } catch {
            let id = (try? row.integer(0)).map { " \($0)" } ?? ""
            throw DownloadError(
                .badStore, "Download\(id) of the queue is invalid: another program has changed it.",
                cause: error)
        }
    }

    private func decoded(_ reader: consuming RowReader) throws -> QueueRecord {
        let id = Receipt.ID(rawValue: try reader.integer())
        let key = try reader.optionalText()
        let source = try Source(stored: reader.text())
        let directory = try reader.path()
        let file = try reader.path()
        guard
            let destination = file.map(DownloadRequest.Destination.file) ?? directory.map({ .directory($0) })
        else { throw RowReader.Senseless() }
        let options = try reader.bytes()
        let priority = Int(try reader.integer())
        let rank = try reader.integer()
        guard let state = DownloadState(rawValue: try reader.text()) else { throw RowReader.Senseless() }
        let (hasBegun, startsOver) = (try reader.bool(), try reader.bool())
        let (path, part) = (try reader.path(), try reader.path())
        let identity: FileIdentity? = try reader.json(decoder)
        let replaces: FileIdentity? = try reader.json(decoder)
        let bytesCompleted = try reader.integer()
        let bytesTotal = try reader.optionalInteger()
        let (attempts, failures) = (Int(try reader.integer()), Int(try reader.integer()))
        let bytesAtFailure = try reader.integer()
        let seconds = try reader.real()
        let retriesAt = try reader.date()
        let error: Receipt.Failure? = try reader.json(decoder)
        guard let added = try reader.date() else { throw RowReader.Senseless() }

        var record = QueueRecord(
            id: id, key: key, source: source, destination: destination, priority: priority, added: added)
        record = try self.record(record, options)
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
        record.started = try reader.date()
        record.ended = try reader.date()
        return record
    }

    private func record(_ record: QueueRecord, _ options: [UInt8]) throws -> QueueRecord {
        if let last, last.bytes == options { return record.withOptions(of: last.record) }
        let column = try decoder.decode(OptionsColumn.self, from: Data(options), configuration: record)
        last = (column.record, options)
        return column.record
    }

    // MARK: Writing

    func save(_ record: QueueRecord) throws {
        try database.execute(Self.insertion, values(record))
    }

    func erase(_ id: Receipt.ID) throws {
        try database.execute("DELETE FROM download WHERE id = ?", [id.rawValue])
    }

    private func values(_ record: QueueRecord) throws -> [(any Bindable)?] {
        var (file, directory): (String?, String?)
        switch record.destination {
        case .file(let path): file = path.string
        case .directory(let path): directory = path.string
        case .descriptor: break
        }
        return [
            record.id.rawValue, record.key, record.source.stored, directory, file, try options(of: record),
            record.request.priority, record.rank, record.state.rawValue, record.hasBegun, record.startsOver,
            record.path?.string, record.part?.part.string, try record.identity.map(json),
            try record.replaces.map(json), record.bytesCompleted, record.bytesTotal,
            record.attempts, record.failures, record.bytesAtFailure, record.seconds,
            record.retriesAt?.timeIntervalSinceReferenceDate, try record.error.map(json),
            record.added.timeIntervalSinceReferenceDate, record.started?.timeIntervalSinceReferenceDate,
            record.ended?.timeIntervalSinceReferenceDate,
        ]
    }

    private func options(of record: QueueRecord) throws -> [UInt8] {
        if let last, record == record.withOptions(of: last.record) { return last.bytes }
        let bytes = try json(OptionsColumn(record: record))
        last = (record, bytes)
        return bytes
    }

    private func json(_ value: some Encodable) throws -> [UInt8] { Array(try encoder.encode(value)) }
}

/// Reads a row's values in order. A value whose type differs from the column's is an error.
private struct RowReader {
    struct Senseless: Error {}

    private let row: Row
    private var column = -1

    init(_ row: Row) {
        self.row = row
    }

    private mutating func next() -> Int {
        column += 1
        return column
    }

    mutating func integer() throws -> Int64 { try row.integer(next()) }
    mutating func optionalInteger() throws -> Int64? { try row.optionalInteger(next()) }
    mutating func bool() throws -> Bool { try row.bool(next()) }
    mutating func real() throws -> Double { try row.real(next()) }
    mutating func text() throws -> String { try row.text(next()) }
    mutating func optionalText() throws -> String? { try row.optionalText(next()) }
    mutating func bytes() throws -> [UInt8] { try row.bytes(next()) }
    mutating func path() throws -> FilePath? { try optionalText().map { FilePath($0) } }

    mutating func date() throws -> Date? {
        try row.optionalReal(next()).map { Date(timeIntervalSinceReferenceDate: $0) }
    }

    mutating func json<Value: Decodable>(_ decoder: JSONDecoder) throws -> Value? {
        try row.optionalBytes(next()).map { try decoder.decode(Value.self, from: Data($0)) }
    }
}
