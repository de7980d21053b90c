extension Extent {
    /// Returns true if the file contains the bytes of this extent. Blocks.
    ///
    /// - Throws: `StorageError`.
    func isIntact(in part: any ByteStore) throws -> Bool {
        try Self.read(range, of: part).map { $0 == self } ?? false
    }

    /// Returns an extent for bytes as they are on disk; `nil` if the file is too short. Blocks.
    ///
    /// - Throws: `StorageError`.
    static func read(_ range: ByteRange, of part: any ByteStore) throws -> Extent? {
        guard let fingerprint = Fingerprint(), try part.read(range, fingerprint.update) else { return nil }
        return Extent(range: range, fingerprint: fingerprint.value)
    }
}
