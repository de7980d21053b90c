/// Downloads by key. Only hashes of the keys are kept, to save memory.
///
/// Hashes can collide: the caller must compare the key of the download found.
struct HashIndex<Key: Hashable & Sendable>: Sendable {
    private var ids: [Int: Receipt.ID] = [:]

    /// Returns the download that may have this key.
    func candidate(for key: Key) -> Receipt.ID? { ids[key.hashValue] }

    mutating func insert(_ id: Receipt.ID, for key: Key) {
        ids[key.hashValue] = id
    }

    /// Removes the key of this download; no effect if another download has since claimed it.
    mutating func remove(_ id: Receipt.ID, for key: Key) {
        if ids[key.hashValue] == id { ids[key.hashValue] = nil }
    }
}
