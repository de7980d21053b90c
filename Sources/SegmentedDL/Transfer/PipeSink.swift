import Dispatch
import SegmentedDLSupport

/// Passes bytes on to a descriptor, in order; a slow reader does not block the engine.
///
/// `@unchecked Sendable`: `output` is accessed only on `queue`, `skipped` only by the engine's thread during
/// a transfer; everything else is protected by the mutex.
final class PipeSink: BodySink, @unchecked Sendable {
    /// The number of buffered bytes at which the transfer is paused.
    private static let capacityBytes = 1024 * 1024

    private struct State {
        var waiting: [UInt8] = []
        var isDraining = false
        var heldTransfer: (any OpenTransfer)?
        var failure: StorageError?
        var isTooLong = false
        var isBeginning = false
        var isBeyondEnd = false
        var drained: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "SegmentedDL.pipe")
    private let output: PipeOutput
    private let length: Int64?
    private let limit: LengthLimit?
    private let transfer: Lock<(any OpenTransfer)?> = Lock(nil)
    private let accepted: Lock<Int64>
    private let plan: SharedPlan
    /// The number of bytes of the transfer to drop because an earlier one has delivered them.
    private var skipped: Int64 = 0
    /// True while the transfer may begin with the file's first bytes although its head says otherwise.
    private var isDoubtful = false

    /// - Parameters:
    ///   - output: Receives the bytes; the sink has exclusive use of it.
    ///   - length: The length of the file in bytes; `nil` if unknown. Excess bytes are dropped.
    ///   - limit: The maximum number of bytes that are accepted; `nil` for any number.
    init(to output: PipeOutput, length: Int64?, limit: LengthLimit?, plan: SharedPlan) {
        self.output = output
        self.length = length
        self.limit = limit
        self.plan = plan
        accepted = Lock(output.position)
    }

    /// Bytes accepted so far, over all transfers.
    var received: Int64 { accepted.withLock { $0 } }

    /// The error of writing to the descriptor.
    var failure: StorageError? { state.withLock { $0.failure } }

    /// True if more bytes arrived than the limit allows.
    var isTooLong: Bool { state.withLock { $0.isTooLong } }

    /// True if a response continued past the end of the file that its head states.
    var isBeyondEnd: Bool { state.withLock { $0.isBeyondEnd } }

    /// True if a part began like the file; none of its bytes were accepted.
    var isBeginning: Bool { state.withLock { $0.isBeginning } }

    /// Receives bytes from this transfer from now on.
    ///
    /// - Parameter start: The offset of its first byte, at most `received`.
    func follows(_ transfer: any OpenTransfer, from start: Int64) {
        self.transfer.withLock { $0 = transfer }
        skipped = received - start
        isDoubtful = start > 0
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        if isDoubtful {
            isDoubtful = false
            if output.beginning.isSame(as: bytes) {
                state.withLock { $0.isBeginning = true }
                return .enough
            }
        }
        let known = min(Int64(bytes.count), skipped)
        guard known < bytes.count else {
            skipped -= known
            return .more
        }
        let answer = receiveNew(UnsafeRawBufferPointer(rebasing: bytes[Int(known)...]))
        // After a pause, the same bytes are offered again.
        if answer != .hold { skipped -= known }
        return answer
    }

    private func receiveNew(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        guard let length else {
            guard LengthLimit.isExceeded(limit, by: received + Int64(bytes.count)) else { return take(bytes) }
            state.withLock { $0.isTooLong = true }
            return .enough
        }
        guard received + Int64(bytes.count) > length else { return take(bytes) }
        state.withLock { $0.isBeyondEnd = true }
        let answer = take(UnsafeRawBufferPointer(rebasing: bytes[..<Int(length - received)]))
        return answer == .more ? .enough : answer
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        let answer = state.withLock { state -> SinkAnswer in
            if state.failure != nil { return .enough }
            guard state.waiting.isEmpty || state.waiting.count + bytes.count <= Self.capacityBytes else {
                state.heldTransfer = transfer.withLock { $0 }
                return .hold
            }
            state.waiting.append(contentsOf: bytes)
            if !state.isDraining {
                state.isDraining = true
                queue.async { self.drain() }
            }
            return .more
        }
        if answer == .more { accepted.withLock { $0 += Int64(bytes.count) } }
        return answer
    }

    func tick() -> SinkAnswer { .more }

    func finish() {}

    /// Writes until no bytes are waiting.
    private func drain() {
        while let bytes = takeWaiting() {
            let start = output.position
            let failure = bytes.withUnsafeBytes { output.failure(ofWriting: $0) }
            if let failure { state.withLock { $0.failure = failure } }
            let end = output.position
            if start < end { plan.withLock { plan, _ in plan.wrote(start..<end) } }
        }
    }

    private func takeWaiting() -> [UInt8]? {
        let (bytes, held, drained) = state.withLock { state in
            let held = state.heldTransfer
            state.heldTransfer = nil
            let bytes = state.failure == nil ? state.waiting : []
            state.waiting = []
            guard bytes.isEmpty else { return (bytes, held, nil as CheckedContinuation<Void, Never>?) }
            state.isDraining = false
            defer { state.drained = nil }
            return (bytes, held, state.drained)
        }
        held?.resume()
        drained?.resume()
        return bytes.isEmpty ? nil : bytes
    }

    /// Returns when every accepted byte has been written, or writing has failed.
    func waitUntilDrained() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                guard state.isDraining else { return true }
                state.drained = continuation
                return false
            }
            if isDone { continuation.resume() }
        }
    }
}
