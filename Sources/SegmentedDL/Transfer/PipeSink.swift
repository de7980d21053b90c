import Dispatch
import SegmentedDLSupport
internal import SystemPackage

/// Hands bytes on to a descriptor, in order, without letting a slow reader block the engine.
///
/// `@unchecked Sendable`: `digests` and `offset` are touched on `queue` alone; everything else is behind the
/// mutex.
final class PipeSink: BodySink, @unchecked Sendable {
    /// The number of bytes that may wait for the reader before the transfer is held.
    private static let capacityBytes = 1024 * 1024

    private struct State {
        var waiting: [UInt8] = []
        var isDraining = false
        var heldTransfer: (any OpenTransfer)?
        var failure: Errno?
        var isTooLong = false
        var drained: CheckedContinuation<Void, Never>?
    }

    private let state = Lock(State())
    private let queue = DispatchQueue(label: "SegmentedDL.pipe")
    private let descriptor: FileDescriptor
    private let length: Int64?
    private let limit: LengthLimit?
    private let transfer: Lock<(any OpenTransfer)?> = Lock(nil)
    private let accepted = Lock<Int64>(0)
    private let digests: [Digest]
    private let plan: SharedPlan
    private var offset: Int64 = 0

    /// - Parameters:
    ///   - length: The length of the file in bytes: bytes behind it are no part of the file. `nil` if it is
    ///     not known.
    ///   - limit: The most bytes that are taken; `nil` for any number.
    init(
        _ descriptor: FileDescriptor, length: Int64?, limit: LengthLimit?, plan: SharedPlan,
        digests: [Checksum.Algorithm]
    ) throws {
        self.length = length
        self.limit = limit
        self.plan = plan
        self.descriptor = descriptor
        self.digests = try digests.map { try Digest($0) }
    }

    /// Bytes taken so far, over all transfers.
    var received: Int64 { accepted.withLock { $0 } }

    /// The error for which the descriptor took no more bytes.
    var failure: Errno? { state.withLock { $0.failure } }

    /// True if more bytes came than the limit allows.
    var isTooLong: Bool { state.withLock { $0.isTooLong } }

    /// Receives from this transfer from now on.
    func follows(_ transfer: any OpenTransfer) {
        self.transfer.withLock { $0 = transfer }
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        guard let length else {
            guard LengthLimit.isExceeded(limit, by: received + Int64(bytes.count)) else { return take(bytes) }
            state.withLock { $0.isTooLong = true }
            return .enough
        }
        guard received + Int64(bytes.count) > length else { return take(bytes) }
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

    /// Writes until nothing waits.
    private func drain() {
        while let bytes = takeWaiting() {
            bytes.withUnsafeBytes { bytes in digests.forEach { $0.update(bytes) } }
            do {
                _ = try descriptor.writeAll(bytes)
                let end = offset + Int64(bytes.count)
                plan.withLock { plan, _ in plan.wrote(offset..<end) }
                offset = end
            } catch {
                state.withLock { $0.failure = error as? Errno ?? .ioError }
            }
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

    /// Returns when everything taken has been written, or has failed to be.
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

    /// The digests of everything written; call it once, after `waitUntilDrained()`.
    func finishDigests() -> [Checksum] {
        queue.sync { digests.map { $0.finishChecksum() } }
    }
}
