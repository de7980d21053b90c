internal import SystemPackage

/// Storage for a file's bytes as they arrive.
protocol ByteStore: Sendable {
    /// The storage's name in messages.
    var destination: FilePath { get }

    /// True if all bytes are kept until the end and may be overwritten.
    var keepsAll: Bool { get }

    /// Writes all of `bytes` at `offset`.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError)

    /// Reads up to `buffer.count` bytes at `offset`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int

    /// Keeps the currently readable bytes until `letGo()` is called.
    func hold()

    /// Balances one `hold()`.
    func letGo()

    /// Returns the subset of the written bytes that is readable.
    func readable(_ written: ByteRangeSet) -> ByteRangeSet
}

extension ByteStore {
    /// Reads a range piece by piece. Blocks.
    ///
    /// - Returns: False if the file ends before the range does.
    func read(_ range: ByteRange, _ body: (UnsafeRawBufferPointer) -> Void) throws(StorageError) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
        defer { buffer.deallocate() }
        var position = range.lowerBound
        while position < range.upperBound {
            let wanted = Int(min(Int64(buffer.count), range.upperBound - position))
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted])
            let count = try read(into: piece, at: position)
            guard count > 0 else { return false }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            position += Int64(count)
        }
        return true
    }
}

extension PartFile: ByteStore {
    var keepsAll: Bool { true }

    func hold() {}

    func letGo() {}

    func readable(_ written: ByteRangeSet) -> ByteRangeSet { written }
}
