import SegmentedDLSupport
internal import SystemPackage

/// A run of consecutive bytes, and its CRC.
struct CRCExtent {
    let start: Int64
    private(set) var end: Int64
    private(set) var check: CyclicCheck

    /// An extent without bytes.
    init(at offset: Int64, _ check: CyclicCheck) {
        (start, end, self.check) = (offset, offset, check)
    }

    fileprivate var range: ByteRange { start..<end }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        check.update(bytes)
        end += Int64(bytes.count)
    }

    mutating func append(_ next: CRCExtent) {
        check.append(next.check, count: next.end - next.start)
        end = next.end
    }
}

/// The CRCs of a file's extents, which are written in any order.
///
/// Bytes that are written or read more than once have no CRC here: two threads may reach the file and this
/// list in different orders.
struct ExtentCRCs {
    /// In order, disjoint, and not adjacent.
    private(set) var list: [CRCExtent] = []
    private var excluded = ByteRangeSet()

    /// Removes and returns the extent that ends at `offset`, so that the following bytes can be appended to
    /// it.
    mutating func remove(endingAt offset: Int64) -> CRCExtent? {
        let index = firstIndex(endingAt: offset)
        guard index < list.count, list[index].end == offset else { return nil }
        return list.remove(at: index)
    }

    /// Adds an extent, and combines it with adjacent ones, unless some of its bytes are excluded or in other
    /// extents, which excludes them.
    mutating func insert(_ extent: CRCExtent) {
        guard overlapping(extent.range).isEmpty else { return exclude(extent.range) }
        guard excluded.isDisjoint(ByteRangeSet(extent.range)) else { return }
        let index = firstIndex(endingAt: extent.start)
        if index < list.count, list[index].end == extent.start {
            list[index].append(extent)
        } else {
            list.insert(extent, at: index)
        }
        let next = index + 1
        if next < list.count, list[next].start == list[index].end {
            list[index].append(list[next])
            list.remove(at: next)
        }
    }

    /// Excludes bytes that are written again, for good, and removes the extents that contain some of them.
    mutating func exclude(_ range: ByteRange) {
        excluded.insert(contentsOf: range)
        list.removeSubrange(overlapping(range))
    }

    /// Returns the CRC of a file of `length` bytes.
    ///
    /// - Parameter read: Appends the bytes of a range for which no extent is known.
    func combined(
        length: Int64, _ empty: CyclicCheck, read: (ByteRange, inout CRCExtent) throws -> Void
    ) rethrows -> CyclicCheck {
        var whole = CRCExtent(at: 0, empty)
        for extent in list where extent.end <= length {
            if extent.start > whole.end { try read(whole.end..<extent.start, &whole) }
            whole.append(extent)
        }
        if length > whole.end { try read(whole.end..<length, &whole) }
        return whole.check
    }

    /// Returns the index of the first extent that ends at `offset` or later.
    private func firstIndex(endingAt offset: Int64) -> Int {
        list.firstIndex { $0.end >= offset } ?? list.count
    }

    private func overlapping(_ range: ByteRange) -> Range<Int> {
        let first = list.firstIndex { $0.end > range.lowerBound } ?? list.count
        let end = list[first...].firstIndex { $0.start >= range.upperBound } ?? list.count
        return first..<end
    }
}

/// Computes the CRC of a file from the bytes that are written, in any order and on any thread, so that only
/// the bytes of earlier runs, and those that were written twice, are read back.
final class WrittenCRC: Sendable {
    let algorithm: Checksum.Algorithm
    private let empty: CyclicCheck
    private let extents = Lock(ExtentCRCs())

    /// - Returns: `nil` for an algorithm other than a CRC.
    init?(_ algorithm: Checksum.Algorithm) {
        guard let empty = CyclicCheck(algorithm) else { return nil }
        (self.algorithm, self.empty) = (algorithm, empty)
    }

    /// Call this after the bytes are in the file.
    func wrote(_ bytes: UnsafeRawBufferPointer, at start: Int64) {
        guard !bytes.isEmpty else { return }
        var extent = extents.withLock { $0.remove(endingAt: start) } ?? CRCExtent(at: start, empty)
        extent.append(bytes)
        extents.withLock { [extent] in $0.insert(extent) }
    }

    /// Excludes bytes that are written again: they are read at the end.
    func exclude(_ range: ByteRange) {
        extents.withLock { $0.exclude(range) }
    }

    /// Reads the bytes of an earlier run. Blocks.
    ///
    /// - Parameter continues: Called before each read; if it returns false, the rest is not read.
    func readBack(_ range: ByteRange, of part: PartFile, while continues: () -> Bool) throws(StorageError) {
        let piece: Int64 = 4 << 20
        for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(piece)) {
            guard continues() else { return }
            var position = start
            _ = try part.read(start..<min(start + piece, range.upperBound)) { bytes in
                wrote(bytes, at: position)
                position += Int64(bytes.count)
            }
        }
    }

    /// Returns the CRC of the file, for which it reads the bytes whose CRC is unknown. Blocks.
    ///
    /// - Throws: `StorageError` or `DownloadError` if the file is unreadable or shorter.
    func finish(at length: Int64, of part: PartFile) throws -> Checksum {
        let extents = extents.withLock { $0 }
        let check = try extents.combined(length: length, empty) { range, whole in
            guard try part.read(range, { whole.append($0) }) else {
                try part.checkIsWhole(length: length)
                throw StorageError(action: "read", path: part.path, errno: .ioError)
            }
        }
        return Checksum(algorithm, digest: check.bytes)
    }
}
