/// The records of a queue by their numbers.
///
/// Each has a place of its own in memory: a dictionary of the records themselves would have as much again in slots
/// that are empty, and three times that while it grows.
struct RecordTable: Sendable {
    private final class Entry: Sendable {
        let record: QueueRecord

        init(_ record: QueueRecord) {
            self.record = record
        }
    }

    private var entries: [Receipt.ID: Entry] = [:]

    var count: Int { entries.count }
    var values: some Collection<QueueRecord> { entries.values.lazy.map(\.record) }

    subscript(id: Receipt.ID) -> QueueRecord? {
        get { entries[id]?.record }
        set { entries[id] = newValue.map(Entry.init) }
    }
}
