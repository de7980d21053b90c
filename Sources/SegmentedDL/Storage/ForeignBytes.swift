/// The bytes of another program's unfinished file that may have been received.
///
/// Some programs create a file with its final length, or write at several offsets, so that missing bytes are
/// zeros. Blocks that contain a page of zeros are omitted together with their neighbours, because the last
/// page written may be partly zero. Genuine zeros are fetched again.
enum ForeignBytes {
    static let block = 64 * 1024
    /// The block size for a file without longer runs of bytes.
    static let page = 4096

    /// Returns the ranges of a file without such blocks. Reads the whole file, blocking the thread.
    ///
    /// - Parameter block: The length of a block in bytes.
    static func received(
        of part: PartFile, size: Int64, block: Int = block
    ) throws(StorageError) -> ByteRangeSet {
        var hasZeros: [Bool] = []
        _ = try part.read(0..<size) { bytes in
            for start in stride(from: 0, to: bytes.count, by: block) {
                let end = min(start + block, bytes.count)
                hasZeros.append(hasZeroPage(UnsafeRawBufferPointer(rebasing: bytes[start..<end])))
            }
        }
        return ranges(hasZeros, size: size, block: block)
    }

    /// Returns true if another program has only reserved a file's space. Reads the whole file, blocking the
    /// thread.
    static func areZeros(in part: PartFile, size: Int64) throws(StorageError) -> Bool {
        var areZeros = true
        _ = try part.read(0..<size) { areZeros = areZeros && $0.allSatisfy { $0 == 0 } }
        return areZeros
    }

    /// - Parameter hasZeros: One element for each block of the file.
    static func ranges(_ hasZeros: [Bool], size: Int64, block: Int = block) -> ByteRangeSet {
        var received = ByteRangeSet()
        for index in hasZeros.indices {
            let neighbours = max(0, index - 1)...min(hasZeros.count - 1, index + 1)
            guard !hasZeros[neighbours].contains(true) else { continue }
            let start = Int64(index * block)
            received.insert(contentsOf: start..<min(start + Int64(block), size))
        }
        return received
    }

    static func hasZeroPage(_ bytes: UnsafeRawBufferPointer) -> Bool {
        stride(from: 0, to: bytes.count, by: page).contains { start in
            bytes[start..<min(start + page, bytes.count)].allSatisfy { $0 == 0 }
        }
    }
}
