import SegmentedDLSupport

/// The first bytes of a file, which show a server that sends them as any range.
///
/// Such a server describes the range that was asked for, and its body begins at the file's first byte. No
/// head shows that if the body's length is right, or is not stated.
final class FileBeginning: Sendable {
    /// The number of bytes of a part that are compared.
    static let length = 512

    /// The number of equal bytes below which a body may begin so by chance.
    private static let leastLength = 16

    /// One byte more: where any two neighbours differ, the bytes from the second on are others than these.
    private static let keptLength = length + 1

    /// Such an answer, as the object of "answered with".
    static let instead = "the beginning of the file"

    /// The range that is asked for where the bytes are needed, and have not come.
    static let range: ByteRange = 0..<Int64(keptLength)

    private struct State {
        var kept: [UInt8] = []
        /// The actions that wait until enough bytes are known.
        var waiting: [@Sendable () -> Void] = []

        var isKnown: Bool { kept.count >= FileBeginning.leastLength }
    }

    private let state = Lock(State())

    /// True if enough bytes are known to compare a part with them.
    var isKnown: Bool { state.withLock { $0.isKnown } }

    /// Takes bytes of the file, of which those that continue the known ones count.
    func note(_ bytes: UnsafeRawBufferPointer, at offset: Int64) {
        guard offset < Self.keptLength else { return }
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard offset == state.kept.count else { return [] }
            state.kept += bytes.prefix(Self.keptLength - state.kept.count)
            guard state.isKnown else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for action in waiting { action() }
    }

    /// Runs an action once enough bytes are known: at once, if they are.
    func whenKnown(_ action: @escaping @Sendable () -> Void) {
        let isKnown = state.withLock { state in
            if !state.isKnown { state.waiting.append(action) }
            return state.isKnown
        }
        if isKnown { action() }
    }

    /// Forgets the bytes: they may not be the file's.
    func forget() {
        state.withLock { $0.kept = [] }
    }

    /// Returns true if a part begins as the file does. Bytes that are all alike show nothing: each range of
    /// an image may begin with zeros.
    func isSame(as part: UnsafeRawBufferPointer) -> Bool {
        let kept = state.withLock { $0.kept }
        let count = min(kept.count, part.count, Self.length)
        guard count >= Self.leastLength, Set(kept[..<count]).count > 1 else { return false }
        return part.prefix(count).elementsEqual(kept[..<count])
    }

    /// A range that a server of this kind gets wrong, and the bytes that the file has there; `nil` as long as
    /// too few are known.
    var contrast: (range: ByteRange, bytes: [UInt8])? {
        let kept = state.withLock { $0.kept }
        guard kept.count > Self.leastLength else { return nil }
        return (1..<Int64(kept.count), Array(kept.dropFirst()))
    }

    /// Takes the first bytes of a part file. Blocks.
    ///
    /// - Parameter written: The bytes of it that are the file's.
    func read(from part: any ByteStore, _ written: ByteRangeSet) throws(StorageError) {
        guard let first = part.readable(written).ranges.first, first.lowerBound == 0 else { return }
        _ = try part.read(0..<min(first.upperBound, Int64(Self.keptLength))) { note($0, at: 0) }
    }
}
