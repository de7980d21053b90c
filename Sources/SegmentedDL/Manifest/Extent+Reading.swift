extension Extent {
    /// Returns true if the file contains these bytes. Blocks.
    ///
    /// - Throws: `StorageError`.
    func isIntact(in part: any ByteStore) throws -> Bool {
        try Self.read(range, of: part).map { $0 == self } ?? false
    }

    /// Returns the extent of some bytes as currently on disk; `nil` if the file ends before them. Blocks.
    ///
    /// - Throws: `StorageError`.
    static func read(_ range: ByteRange, of part: any ByteStore) throws -> Extent? {
        guard let fingerprint = Fingerprint(), try part.read(range, fingerprint.update) else { return nil }
        return Extent(range: range, fingerprint: fingerprint.value)
    }
}
