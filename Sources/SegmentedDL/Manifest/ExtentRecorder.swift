import SegmentedDLSupport

/// Computes the fingerprints of one file's bytes before they are written.
final class ExtentRecorder: Sendable {
    private let length: Int64
    private let state: Lock<State>

    private struct State {
        var list: ExtentList
        /// The extents that the next write may continue, by their ends.
        var open: [Int64: Open] = [:]
    }

    /// `@unchecked Sendable`: only the connection that writes the following bytes removes it from
    /// `State.open`.
    private struct Open: @unchecked Sendable {
        let start: Int64
        let fingerprint: Fingerprint
    }

    /// Returns `nil` if libcrypto offers no fingerprints.
    ///
    /// - Parameters:
    ///   - list: The extents of an earlier run.
    ///   - total: The file's length in bytes.
    init?(_ list: ExtentList, total: Int64) {
        guard Fingerprint() != nil else { return nil }
        length = Extent.length(total: total)
        state = Lock(State(list: list))
    }

    var list: ExtentList { state.withLock { $0.list } }

    /// Returns the extents that were completed by bytes that are now on disk.
    func wrote(_ bytes: UnsafeRawBufferPointer, at start: Int64) -> [Extent] {
        var written: [Extent] = []
        var (position, rest) = (start, bytes)
        while !rest.isEmpty {
            let end = min(position + Int64(rest.count), (position / length + 1) * length)
            let count = Int(end - position)
            guard let extent = extend(UnsafeRawBufferPointer(rebasing: rest[..<count]), position..<end)
            else { break }
            written.append(extent)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            position = end
        }
        return written
    }

    private func extend(_ bytes: UnsafeRawBufferPointer, _ range: ByteRange) -> Extent? {
        let open = state.withLock { $0.open.removeValue(forKey: range.lowerBound) }
        guard let fingerprint = open?.fingerprint ?? Fingerprint() else { return nil }
        let start = open?.start ?? range.lowerBound
        fingerprint.update(bytes)
        let extent = Extent(range: start..<range.upperBound, fingerprint: fingerprint.value)
        let next = Open(start: start, fingerprint: fingerprint)
        state.withLock { state in
            state.list.insert(extent)
            if !range.upperBound.isMultiple(of: length) { state.open[range.upperBound] = next }
        }
        return extent
    }

    /// Drops the extents that overlap this range.
    func takeBack(_ range: ByteRange) {
        state.withLock { state in
            state.list.remove(overlapping: range)
            state.open = state.open.filter { !($0.value.start..<$0.key).overlaps(range) }
        }
    }

    /// Restricts the extents to exactly these bytes, and computes missing ones from disk. Blocks.
    ///
    /// - Throws: `StorageError`.
    func cover(_ written: ByteRangeSet, of part: PartFile) throws {
        for gap in list.covered.subtracting(written).ranges { takeBack(gap) }
        try add(written, of: part)
    }

    /// Reads the written bytes that lack a fingerprint. Blocks.
    ///
    /// - Throws: `StorageError`.
    func add(_ written: ByteRangeSet, of part: PartFile) throws {
        for range in written.subtracting(list.covered).ranges {
            var start = range.lowerBound
            while start < range.upperBound {
                let end = min(range.upperBound, (start / length + 1) * length)
                guard let extent = try Extent.read(start..<end, of: part) else { return }
                state.withLock { $0.list.insert(extent) }
                start = end
            }
        }
    }
}
