import SegmentedDLSupport

/// The first bytes of a file, to detect a server that sends them in response to any range.
///
/// Such a server announces the requested range, but its body begins with the file's first byte. The head does
/// not reveal this if the body's length is correct or missing.
final class FileBeginning: Sendable {
    /// The number of bytes to compare.
    static let length = 512

    /// The minimum number of equal bytes: fewer may match by chance.
    static let leastLength = 16

    /// One byte more is kept: if any two neighbouring bytes differ, the bytes from the second on differ from
    /// those from the first on.
    private static let keptLength = length + 1

    /// The description of such a response, which completes "answered with …".
    static let instead = "the beginning of the file"

    /// The range to request if the bytes are needed but have not been received.
    static let range: ByteRange = 0..<Int64(keptLength)

    private struct State {
        var kept: [UInt8] = []
        /// The actions to run once enough bytes are known.
        var waiting: [@Sendable () -> Void] = []

        var isKnown: Bool { kept.count >= FileBeginning.leastLength }
    }

    private let state = Lock(State())

    /// True if enough bytes are known to compare a part.
    var isKnown: Bool { state.withLock { $0.isKnown } }

    /// Records bytes of the file; only those that continue the known ones are used.
    func note(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset < Self.keptLength else { return }
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard offset <= state.kept.count else { return [] }
            let following = bytes.dropFirst(state.kept.count - Int(offset))
            state.kept += following.prefix(Self.keptLength - state.kept.count)
            guard state.isKnown else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in waiting { action() }
    }

    /// Runs an action once enough bytes are known, or immediately if they already are.
    func whenKnown(_ action: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { state in
            if !state.isKnown { state.waiting.append(action) }
            return state.isKnown
        }
        if isKnown { action() }
    }

    /// Discards the bytes: they may not belong to the file.
    func forget() {
        state.withLock { $0.kept = [] }
    }

    /// Returns true if a part begins like the file. Bytes that are all equal prove nothing: each range of an
    /// image may begin with zeros.
    func isSame(as part: UnsafeRawBufferPointer) -> Bool {
        let kept = state.withLock { $0.kept }
        let count = min(kept.count, part.count, Self.length)
        guard count >= Self.leastLength, Set(kept[..<count]).count > 1 else { return false }
        return part.prefix(count).elementsEqual(kept[..<count])
    }

    /// Returns a range that such a server would answer wrongly, with the file's bytes in it; `nil` while too
    /// few are known. All bytes of a short file suffice.
    ///
    /// - Parameter total: The file's length in bytes; `nil` if unknown.
    func contrast(total: Int64?) -> (range: ByteRange, bytes: [UInt8])? {
        let kept = state.withLock { $0.kept }
        guard kept.count > 1, kept.count > Self.leastLength || Int64(kept.count) == total else { return nil }
        return (1..<Int64(kept.count), Array(kept.dropFirst()))
    }

    /// Reads the first bytes of a part file. Blocks.
    ///
    /// - Parameter written: The ranges that have been written.
    func read(from part: any ByteStore, _ written: ByteRangeSet) throws(StorageError) {
        guard let first = part.readable(written).ranges.first, first.lowerBound == 0 else { return }
        _ = try part.read(0..<min(first.upperBound, Int64(Self.keptLength))) { note($0, at: 0) }
    }
}
