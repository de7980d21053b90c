import SegmentedDLSupport

/// Writes a queue's changes in batches, on a separate thread, while the queue continues.
///
/// Changes that could not be written are kept and written with the next change.
final class StoreWriter: Sendable {
    private let store: QueueStore?
    private let changes: BatchQueue<QueueStore.Change>

    /// - Parameter store: `nil` for a queue in memory, whose changes are discarded.
    init(_ store: QueueStore?) {
        self.store = store
        changes = BatchQueue(label: "SegmentedDL.queue", compact: Self.newest) { changes in
            try store?.apply(Self.newest(changes))
        }
    }

    /// - Returns: The change's number.
    @discardableResult
    func submit(_ change: QueueStore.Change) -> Int { changes.add(change) }

    /// Submits changes that are stored in one transaction.
    ///
    /// - Returns: The number of the last one.
    @discardableResult
    func submit(_ changes: [QueueStore.Change]) -> Int { self.changes.add(contentsOf: changes) }

    /// The number of the newest stored change; all earlier ones are also stored.
    var stored: Int { changes.processed }

    /// Returns when everything submitted so far is stored.
    ///
    /// - Throws: The errors of `QueueStore.apply`.
    func flush() async throws { try await changes.flush() }

    /// Closes the store once the current batch is written.
    func close() async {
        await changes.runBetweenBatches { [store] in store?.close() }
    }

    /// Returns the newest change of each download; a batch is one transaction, so their order does not
    /// matter.
    @Sendable
    private static func newest(_ changes: [QueueStore.Change]) -> [QueueStore.Change] {
        var newest: [Receipt.ID: QueueStore.Change] = [:]
        for change in changes { newest[change.id] = change }
        return Array(newest.values)
    }
}
