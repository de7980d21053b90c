import SegmentedDLSupport
internal import SystemPackage

/// A window of a file: the bytes that have arrived but have not been passed on yet.
///
/// It is an unnamed file of fixed size, which stores each byte at its offset modulo the size. It needs no
/// further space, regardless of the length of the file and the speed of its reader.
final class WindowFile: ByteStore {
    let destination: FilePath
    let keepsAll = false
    /// Bytes.
    let size: Int64

    /// The fraction of the window that keeps bytes that were passed on: a server with varying ETags is
    /// checked by comparing bytes, and otherwise there might be none to compare with.
    private static let keptPart: Int64 = 8

    private struct State {
        /// The offset of the next byte to pass on.
        var position: Int64 = 0
        /// The offset of the first readable byte.
        var kept: Int64 = 0
        var holds = 0
    }

    private let state = Lock(State())
    private let descriptor: FileDescriptor
    private let plan: SharedPlan

    /// Creates a window whose space is reserved. Blocks.
    ///
    /// - Parameters:
    ///   - directory: The directory of the unnamed file.
    ///   - destination: The name of the destination in messages.
    ///   - size: The size in bytes, 16 or more.
    ///   - plan: Receives the end of the bytes that the window can hold.
    /// - Throws: `StorageError`.
    init(
        in directory: FilePath, for destination: FilePath, size: Int64, plan: SharedPlan
    ) throws(StorageError) {
        self.destination = destination
        self.size = size
        self.plan = plan
        descriptor = try storageCall("make a file in", directory) {
            try SystemCalls.openUnnamed(in: directory) ?? SystemCalls.openRemoved(in: directory)
        }
        // If this fails, `deinit` closes the file. Closing it twice could close a file that another thread
        // has just opened.
        try storageCall("reserve \(size) bytes in", directory) {
            if try !SystemCalls.reserve(descriptor, length: size) {
                try SystemCalls.truncate(descriptor, to: size)
            }
        }
        setHorizon(State())
    }

    deinit {
        try? descriptor.close()
    }

    /// The maximum number of bytes between the next one to pass on and the last one to fetch.
    ///
    /// - Parameters:
    ///   - size: The length of the window in bytes.
    ///   - length: The length of the file in bytes.
    static func room(of size: Int64, for length: Int64) -> Int64 {
        size < length ? size - size / keptPart : length
    }

    private func setHorizon(_ state: State) {
        plan.withLock { [size] plan, _ in plan.horizon = max(plan.horizon ?? 0, state.kept + size) }
    }

    // MARK: Bytes

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        try storageCall("write to", destination) {
            try eachPart(of: bytes.count, at: offset) { place, part in
                _ = try descriptor.writeAll(
                    toAbsoluteOffset: place, UnsafeRawBufferPointer(rebasing: bytes[part]))
                return part.count
            }
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        var done = 0
        try storageCall("read", destination) {
            try eachPart(of: buffer.count, at: offset) { place, part in
                let count = try descriptor.read(
                    fromAbsoluteOffset: place, into: UnsafeMutableRawBufferPointer(rebasing: buffer[part]))
                done += count
                return count
            }
        }
        return done
    }

    /// Calls `body` for each contiguous part of the bytes in the file, until it returns 0.
    private func eachPart(
        of count: Int, at offset: Int64, _ body: (_ place: Int64, _ part: Range<Int>) throws -> Int
    ) throws {
        var done = 0
        while done < count {
            let place = (offset + Int64(done)) % size
            let length = min(count - done, Int(size - place))
            let moved = try body(place, done..<(done + length))
            guard moved > 0 else { return }
            done += moved
        }
    }

    // MARK: Room

    /// Reuses the space of bytes that were passed on.
    ///
    /// - Parameter position: The offset of the next byte to pass on.
    func handedOn(upTo position: Int64) {
        update { $0.position = position }
    }

    func hold() {
        update { $0.holds += 1 }
    }

    func letGo() {
        update { $0.holds -= 1 }
    }

    private func update(_ change: (inout State) -> Void) {
        let new = state.withLock { [size] state in
            change(&state)
            if state.holds == 0 { state.kept = max(state.kept, state.position - size / Self.keptPart) }
            return state
        }
        setHorizon(new)
    }

    func readable(_ written: ByteRangeSet) -> ByteRangeSet {
        let kept = state.withLock { $0.kept }
        return written.intersection(ByteRangeSet(kept..<Int64.max))
    }
}
