import Dispatch
import SegmentedDLSupport

/// Hashes a file's pieces as they become complete on disk, on a separate thread.
///
/// `@unchecked Sendable`: `digests` is used only on `queue`.
final class PieceCheck: @unchecked Sendable {
    /// The result for one piece, reported on the hashing thread.
    struct Finding: Sendable {
        var piece: ByteRange
        var isRight: Bool
        /// The end of the contiguous correct bytes at the beginning that are on disk.
        var verifiedEnd: Int64
    }

    private struct State {
        var written = ByteRangeSet()
        var verified = ByteRangeSet()
        /// How often the file was restarted: findings of earlier rounds are ignored.
        var rounds = 0

        var verifiedEnd: Int64 {
            verified.ranges.first.map { $0.lowerBound == 0 ? $0.upperBound : 0 } ?? 0
        }

        var failure: (any Error)?
        var found: (@Sendable (Finding) -> Void)?
    }

    private let reader: PieceReader
    private let pieces: PieceHashes
    private let total: Int64
    private let queue = DispatchQueue(label: "SegmentedDL.pieces")
    private let state = Lock(State())

    /// - Throws: `DownloadError` with code `lengthMismatch` if the pieces do not match this length.
    init(_ part: PartFile, _ pieces: PieceHashes, total: Int64) throws(DownloadError) {
        guard Int64(pieces.count) == pieces.expectedCount(size: total) else {
            throw DownloadError(
                .lengthMismatch,
                "\(part.destination.shown): the file has \(total) bytes, which does not match \(pieces.count) pieces of \(pieces.length) bytes."
            )
        }
        reader = PieceReader(part: part)
        self.pieces = pieces
        self.total = total
        part.willBeReadBack()
    }

    /// Sets the closure that is called with each finding. Call this before the first `wrote`.
    func onFinding(_ body: (@Sendable (Finding) -> Void)?) {
        state.withLock { $0.found = body }
    }

    /// Hashes the pieces completed by these bytes, which are on disk.
    func wrote(_ range: ByteRange) {
        guard !range.isEmpty else { return }
        let complete = state.withLock { state in
            state.written.insert(contentsOf: range)
            let first = range.lowerBound / pieces.length
            let last = (range.upperBound - 1) / pieces.length
            return (first...last).map(self.range(of:)).filter { piece in
                state.written.gaps(in: piece).isEmpty && !state.verified.contains(piece.lowerBound)
            }
        }
        for piece in complete { queue.async { self.check(piece) } }
    }

    /// Returns when all complete pieces are hashed and reported.
    ///
    /// - Throws: `StorageError` if the file is unreadable, or `DownloadError`.
    func waitUntilHashed() async throws {
        await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }

    /// Returns the error for the first wrong piece; `nil` if every piece is correct, regardless of how its
    /// bytes arrived.
    ///
    /// - Parameter takeBack: Called with the wrong bytes.
    /// - Throws: The errors of `waitUntilHashed`.
    func mismatch(_ takeBack: (ByteRange) -> Void = { _ in }) async throws -> DownloadError? {
        try await waitUntilHashed()
        let wrong = state.withLock { $0.verified.gaps(in: 0..<total).ranges }
        guard let first = wrong.first else { return nil }
        for range in wrong { takeBack(range) }
        return DownloadError(
            .checksumMismatch,
            "\(reader.part.destination.shown): the piece at byte \(first.lowerBound) does not have its \(pieces.algorithm.rawValue) digest; download it again."
        )
    }

    /// Discards all findings, because the file is being rewritten from its first byte.
    func startOver() {
        state.withLock { state in
            state.written = ByteRangeSet()
            state.verified = ByteRangeSet()
            state.rounds += 1
        }
    }

    /// The end of the contiguous bytes at the beginning that are currently on disk and correct.
    var verifiedEnd: Int64 { state.withLock { $0.verifiedEnd } }

    private func range(of index: Int64) -> ByteRange {
        let start = index * pieces.length
        return start..<min(start + pieces.length, total)
    }

    private func check(_ piece: ByteRange) {
        let round = state.withLock { state in
            let isDue =
                state.failure == nil && state.written.gaps(in: piece).isEmpty
                && !state.verified.contains(piece.lowerBound)
            return isDue ? state.rounds : nil
        }
        guard let round else { return }
        do {
            let expected = pieces[Int(piece.lowerBound / pieces.length)]
            let isRight = try reader.hash(piece, pieces.algorithm) == expected
            let finding = state.withLock { state -> (found: (@Sendable (Finding) -> Void)?, end: Int64)? in
                guard state.rounds == round else { return nil }
                if isRight {
                    state.verified.insert(contentsOf: piece)
                } else {
                    state.written.remove(contentsOf: piece)
                }
                return (state.found, state.verifiedEnd)
            }
            guard let finding else { return }
            finding.found?(Finding(piece: piece, isRight: isRight, verifiedEnd: finding.end))
        } catch {
            state.withLock { $0.failure = error }
        }
    }

    /// Returns the SHA-256 of bytes now on disk; `nil` if they cannot be read. Call this only from the
    /// closure set by `onFinding`.
    func digest(of range: ByteRange) -> String? {
        (try? reader.hash(range, .sha256))?.hexadecimal
    }
}

/// Hashes parts of a file. Blocks.
struct PieceReader: Sendable {
    let part: PartFile

    /// - Returns: `nil` if the file ends before the range.
    /// - Throws: `StorageError`, or `DownloadError` with code `invalidSetting` if libcrypto lacks the
    ///   algorithm.
    func hash(_ range: ByteRange, _ algorithm: Checksum.Algorithm) throws -> Checksum? {
        let digest = try Digest(algorithm, length: Int64(range.count))
        guard try part.read(range, digest.update) else { return nil }
        return digest.finishChecksum()
    }
}
