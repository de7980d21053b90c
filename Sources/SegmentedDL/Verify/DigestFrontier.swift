import Dispatch
import SegmentedDLSupport
internal import SystemPackage

/// Hashes a part file while it is being written.
///
/// It reads the contiguous bytes at the beginning, in order and on a separate thread, while they are still in
/// the page cache, so that little is left to hash at the end of a download. A CRC is combined from those of
/// the written bytes instead, which are not read.
///
/// `@unchecked Sendable`: only `queue` accesses `digests`, `parts`, `position` and `earlier`.
final class DigestFrontier: @unchecked Sendable {
    /// The size of one read, which fits into a core's private cache.
    private static let pieceLength = 256 * 1024

    private struct State {
        /// The end of the contiguous bytes at the beginning that are on disk.
        var reached: Int64 = 0
        var isWorking = false
        var startsOver = false
        var algorithms: [Checksum.Algorithm]
        /// True if the bytes are also hashed for a composite checksum.
        let hashesParts: Bool
        var cyclic: [WrittenCRC]
        var failure: (any Error)?
        var waiting: CheckedContinuation<Void, Never>?

        var hashesInOrder: Bool { !algorithms.isEmpty || hashesParts }
    }

    private let part: PartFile
    private let queue = DispatchQueue(label: "SegmentedDL.digest")
    private let state: Lock<State>
    /// The algorithms for which the file is read at the end, because its length is uncertain until then.
    private let late: [Checksum.Algorithm]
    private let composite: CompositeDigest?
    private var digests: [Digest]
    private var parts: PartsDigest?
    private var position: Int64 = 0
    /// The bytes of earlier runs that are included in the CRCs when they are hashed in order.
    private var earlier = ByteRangeSet()

    /// - Parameters:
    ///   - algorithms: If this is empty, and there is no composite checksum, nothing is read until one is
    ///     added.
    ///   - composite: The checksum that the parts of the file may have.
    /// - Throws: `DownloadError` with code `invalidSetting` if libcrypto lacks an algorithm.
    init(
        _ part: PartFile, _ algorithms: [Checksum.Algorithm], composite: CompositeDigest? = nil
    ) throws(DownloadError) {
        self.part = part
        late = algorithms.filter(\.includesLength)
        let cyclic = algorithms.compactMap { WrittenCRC($0) }
        let algorithms = algorithms.filter { !$0.includesLength && CyclicCheck($0) == nil }
        state = Lock(State(algorithms: algorithms, hashesParts: composite != nil, cyclic: cyclic))
        self.composite = composite
        digests = try Self.fresh(algorithms)
        parts = composite.map(PartsDigest.init)
        if hashesInOrder { part.willBeReadBack() }
    }

    /// True if it computes a digest.
    var isHashing: Bool { !late.isEmpty || hashesInOrder || !cyclic.isEmpty }

    /// True if the bytes are hashed from the first one on, while others arrive.
    var hashesInOrder: Bool { state.withLock { $0.hashesInOrder } }

    private var cyclic: [WrittenCRC] { state.withLock { $0.cyclic } }

    /// Adds a digest, for which the bytes on disk are read.
    func add(_ algorithm: Checksum.Algorithm) {
        if let check = WrittenCRC(algorithm) {
            return state.withLock { state in
                if !state.cyclic.contains(where: { $0.algorithm == algorithm }) { state.cyclic.append(check) }
            }
        }
        part.willBeReadBack()
        let begins = state.withLock { state in
            guard !state.algorithms.contains(algorithm) else { return false }
            state.algorithms.append(algorithm)
            state.startsOver = true
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if begins { queue.async { self.work() } }
    }

    private static func fresh(_ algorithms: [Checksum.Algorithm]) throws(DownloadError) -> [Digest] {
        var digests: [Digest] = []
        for algorithm in algorithms { digests.append(try Digest(algorithm)) }
        return digests
    }

    /// Includes bytes in the CRCs, after they were written to the file.
    func wrote(_ bytes: UnsafeRawBufferPointer, at start: Int64) {
        for check in cyclic { check.wrote(bytes, at: start) }
    }

    /// Excludes bytes from the CRCs, because they are written again: they are read at the end.
    func exclude(_ range: ByteRange) {
        for check in cyclic { check.exclude(range) }
    }

    /// Reads the bytes of earlier runs for the CRCs, on a separate thread: at once, or together with the
    /// bytes that are hashed in order. Call this once, at the beginning.
    func readBack(_ ranges: ByteRangeSet) {
        let checks = cyclic
        guard !checks.isEmpty, !ranges.isEmpty else { return }
        queue.async { [self] in
            guard !hashesInOrder else {
                earlier = ranges
                return
            }
            for check in checks {
                for range in ranges.ranges {
                    // Bytes that cannot be read here are read at the end, which reports the error.
                    try? check.readBack(range, of: part) { state.withLock { $0.failure == nil } }
                }
            }
        }
    }

    /// Hashes up to `end`; all bytes before it are on disk.
    ///
    /// - Parameter current: Returns the current end. Another thread may have withdrawn bytes since the caller
    ///   read `end`; they must not be hashed before they are replaced.
    func reach(_ end: Int64, current: () -> Int64) {
        let begins = state.withLock { state in
            guard end > state.reached else { return false }
            let end = min(end, current())
            guard end > state.reached else { return false }
            state.reached = end
            guard state.hashesInOrder else { return false }
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if begins { queue.async { self.work() } }
    }

    /// Discards all bytes hashed in order, because bytes are written again. Call this after the end that
    /// `current` returns has changed.
    func startOver() {
        state.withLock { state in
            state.reached = 0
            state.startsOver = true
        }
    }

    /// Hashes the rest, and returns the digests. Call this once, at the end.
    ///
    /// - Throws: `StorageError` if the file is unreadable, or `DownloadError`.
    func finish(at length: Int64) async throws -> [Checksum] {
        await waitForWork { $0.reached = length }
        if let failure = state.withLock({ $0.failure }) { throw failure }
        let found = queue.sync { digests.map { $0.finishChecksum() } }
        return try await DiskThread.run { [part, late, cyclic] in
            try found + cyclic.map { try $0.finish(at: length, of: part) }
                + late.map { try Self.digest(part, length, $0) }
        }
    }

    /// Returns the proof of the composite checksum; `nil` if there is none. Call this once, after `finish`.
    func compositeProof() -> DigestProof? { queue.sync { parts?.finish() } }

    private static func digest(
        _ part: PartFile, _ length: Int64, _ algorithm: Checksum.Algorithm
    ) throws -> Checksum {
        guard let found = try PieceReader(part: part).hash(0..<length, algorithm) else {
            try part.checkIsWhole(length: length)
            throw StorageError(action: "read", path: part.path, errno: .ioError)
        }
        return found
    }

    /// Stops hashing, and returns when the file is no longer being read. Further calls return immediately.
    func stop() async {
        await waitForWork { $0.failure = CancellationError() }
    }

    private func waitForWork(_ change: @Sendable (inout State) -> Void) async {
        await withCheckedContinuation { continuation in
            let begins = state.withLock { state in
                change(&state)
                state.waiting = continuation
                defer { state.isWorking = true }
                return !state.isWorking
            }
            if begins { queue.async { self.work() } }
        }
    }

    /// Hashes up to the end of the bytes on disk.
    private func work() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 4096)
        defer { buffer.deallocate() }
        while let end = next() {
            do {
                try hash(upTo: end, buffer)
            } catch {
                state.withLock { $0.failure = error }
            }
        }
    }

    /// Returns the end of the bytes to hash; `nil` if none are left; the thread then stops.
    private func next() -> Int64? {
        let (end, fresh, waiting) = state.withLock { state in
            let fresh = state.startsOver ? state.algorithms : nil
            state.startsOver = false
            if state.failure == nil, state.hashesInOrder,
                fresh != nil ? state.reached > 0 : state.reached > position
            {
                return (state.reached as Int64?, fresh, nil as CheckedContinuation<Void, Never>?)
            }
            state.isWorking = false
            defer { state.waiting = nil }
            return (nil, fresh, state.waiting)
        }
        if let fresh { restart(fresh) }
        waiting?.resume()
        return end
    }

    private func restart(_ algorithms: [Checksum.Algorithm]) {
        position = 0
        parts = composite.map(PartsDigest.init)
        do {
            digests = try Self.fresh(algorithms)
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    /// Hashes at most one piece, so that `startOver` takes effect soon.
    private func hash(upTo end: Int64, _ buffer: UnsafeMutableRawBufferPointer) throws {
        let wanted = Int(min(Int64(buffer.count), end - position))
        let count = try part.read(
            into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: position)
        guard count > 0 else {
            try part.checkIsWhole(length: end)
            throw StorageError(action: "read", path: part.path, errno: .ioError)
        }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
        for digest in digests { digest.update(bytes) }
        parts?.update(bytes)
        includeEarlier(bytes, at: position)
        position += Int64(count)
    }

    /// Includes bytes of earlier runs in the CRCs, each once.
    private func includeEarlier(_ bytes: UnsafeRawBufferPointer, at start: Int64) {
        guard !earlier.isEmpty else { return }
        let read = start..<start + Int64(bytes.count)
        for range in earlier.intersection(ByteRangeSet(read)).ranges {
            let found = bytes[Int(range.lowerBound - start)..<Int(range.upperBound - start)]
            wrote(UnsafeRawBufferPointer(rebasing: found), at: range.lowerBound)
        }
        earlier.remove(contentsOf: read)
    }
}
