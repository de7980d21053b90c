import Foundation
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("The records that a queue reads from its store")
struct QueueReadingTests {
    private final class Store: RecordSource {
        private let stored: [Receipt.ID: QueueRecord]
        private let calls = Lock(0)

        init(_ records: [QueueRecord]) {
            stored = Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) })
        }

        var reads: Int { calls.withLock { $0 } }

        func records(_ ids: [Receipt.ID]) -> [QueueRecord] {
            calls.withLock { $0 += 1 }
            return ids.compactMap { stored[$0] }
        }

        func refuse(_ id: Receipt.ID) {}

        var hasFailed: Bool { false }
    }

    @Test("repeated additions are looked up together")
    func addedAgain() throws {
        let records = try (1...100).map { number in
            QueueRecord(
                id: Receipt.ID(rawValue: Int64(number)), source: try Source("http://host/\(number)"),
                destination: .directory("there"), added: .distantPast)
        }
        let store = Store(records)
        var queue = QueueState(limits: Limits(), source: store, heldRecords: 0)
        for record in records { _ = queue.restore(record, from: record, policy: .stayPaused) }
        let before = store.reads
        queue.hold(records.map(\.identifier))
        for record in records { #expect(try queue.existing(record) == record) }
        #expect(store.reads == before + 1)
    }

    @Test("downloads on hold are read together when they are released", arguments: [false, true])
    func released(isDue: Bool) throws {
        let records = try (1...100).map { number in
            QueueRecord(
                id: Receipt.ID(rawValue: Int64(number)), source: try Source("http://host/\(number)"),
                destination: .directory("there"), added: .distantPast)
        }
        let store = Store(records)
        var queue = QueueState(limits: Limits(), asksFirst: true, source: store, heldRecords: 0)
        for record in records { _ = queue.restore(record, from: record, policy: .resume) }
        let now = Date(timeIntervalSinceReferenceDate: 0)
        for record in records {
            _ = queue.hold(record.id, Receipt.Hold(.space, message: "", until: isDue ? now : nil))
        }
        queue.trim(stored: .max, isThorough: true)
        let before = store.reads
        let actions = isDue ? queue.reschedule(now: now) : queue.release(queue.held(for: .space))
        #expect(records.allSatisfy { actions.contains(.updated($0.id)) })
        #expect(queue.holds.isEmpty)
        // As for the receipts of the events.
        for record in records { #expect(queue.records[record.id] == record) }
        #expect(store.reads == before + 1)
    }
}
