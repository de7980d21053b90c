import Dispatch
import SegmentedDLSupport
internal import SystemPackage

/// Passes on the bytes of a window, in order, as soon as all preceding ones have arrived, on a separate
/// thread, because the reader may be slow.
///
/// `@unchecked Sendable`: only `queue` accesses `output` while it is active.
final class WindowDrain: @unchecked Sendable {
    private static let pieceLength = 256 * 1024

    private struct State {
        /// The end of the bytes that are ready.
        var reached: Int64 = 0
        /// The end of the bytes already passed on.
        var position: Int64 = 0
        var isWorking = false
        var isStopped = false
        var failure: StorageError?
        /// The waiting call, and the end of the bytes that it waits for.
        var waiting: (end: Int64, continuation: CheckedContinuation<Void, any Error>)?
    }

    private let window: WindowFile
    private let output: PipeOutput
    private let queue = DispatchQueue(label: "SegmentedDL.window")
    private let state = Lock(State())

    init(_ window: WindowFile, to output: PipeOutput) {
        self.window = window
        self.output = output
    }

    /// Passes on the bytes before `end`: all of them must be in the window.
    func reach(_ end: Int64) {
        let begins = state.withLock { state in
            guard end > state.reached else { return false }
            state.reached = end
            defer { state.isWorking = true }
            return !state.isWorking
        }
        if begins { queue.async { self.work() } }
    }

    /// Returns when all bytes before `end` are passed on.
    ///
    /// - Throws: `TransferFailure.storage` if writing to the reader fails, or `CancellationError`.
    func finish(at end: Int64) async throws {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if let failure = state.failure { return .failure(TransferFailure.storage(failure)) }
                    if state.position >= end { return .success(()) }
                    if Task.isCancelled || state.isStopped { return .failure(CancellationError()) }
                    state.waiting = (end, continuation)
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                defer { state.waiting = nil }
                return state.waiting
            }
            waiting?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Passes on no further bytes after the current write.
    func stop() {
        state.withLock { $0.isStopped = true }
    }

    private func work() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceLength, alignment: 4096)
        defer { buffer.deallocate() }
        while let range = next() {
            do {
                try handOn(range, UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(range.length)]))
                moved(to: range.upperBound)
            } catch {
                failed(error)
            }
        }
    }

    private func next() -> ByteRange? {
        state.withLock { state in
            guard state.failure == nil, !state.isStopped, state.reached > state.position else {
                state.isWorking = false
                return nil
            }
            return state.position..<min(state.reached, state.position + Int64(Self.pieceLength))
        }
    }

    private func handOn(_ range: ByteRange, _ buffer: UnsafeMutableRawBufferPointer) throws(StorageError) {
        guard try window.read(into: buffer, at: range.lowerBound) == buffer.count else {
            throw StorageError(action: "read", path: window.destination, errno: .ioError)
        }
        try output.write(UnsafeRawBufferPointer(buffer))
        window.handedOn(upTo: range.upperBound)
    }

    private func moved(to position: Int64) {
        let waiting = state.withLock { state in
            state.position = position
            guard let waiting = state.waiting, position >= waiting.end else {
                return nil as CheckedContinuation<Void, any Error>?
            }
            state.waiting = nil
            return waiting.continuation
        }
        waiting?.resume()
    }

    private func failed(_ error: StorageError) {
        let waiting = state.withLock { state in
            state.failure = error
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.continuation.resume(throwing: TransferFailure.storage(error))
    }
}
