import SegmentedDLSupport

/// Takes one segment's bytes from the engine to the disk.
///
/// `@unchecked Sendable`: after `init` one thread at a time touches it, but for `outcome`: the
/// engine's, or a disk thread for a body that came along with its head.
final class SegmentSink: BodySink, @unchecked Sendable {
    private let plan: SharedPlan
    private let writer: PartWriter
    private let segment: Segment.ID
    private let buffer: UnsafeMutableRawBufferPointer

    /// The offset at which the response's body ends. A connection that reaches it can be used again.
    private let bodyEnd: Int64
    /// The offset of the next byte to arrive.
    private var position: Int64
    /// The ticks in which a part waits for the file's first bytes, half a minute: mostly the plan gives up a
    /// connection before that, because none brings bytes.
    static let mostDoubtfulTicks = 600

    /// The end of the claimed bytes.
    private var claimed: Int64
    /// The end of the segment's bytes, as far as it was known at the last claim. It is the body's where round
    /// trips do not count: the server sends little before it learns of a closed connection.
    private var end: Int64
    /// The number of bytes of `buffer` that are in use; they belong right below `position`.
    private var filled = 0
    /// True as long as the part may be the file's first bytes instead.
    private var isDoubtful: Bool
    /// Has the bytes offered again that were held because the file's first ones have not come.
    private let resume: @Sendable () -> Void
    private var isHolding = false
    private var doubtfulTicks = 0
    private var pace = SegmentPace()
    private var receivedSinceTick = 0
    private var hasWrittenSinceTick = false

    private var result = Outcome()
    private let finished = Lock(Outcome())

    struct Outcome: Sendable {
        /// The number of bytes that have arrived.
        var received: Int64 = 0
        /// The reason why the segment cannot continue, if it is the disk.
        var failure: StorageError?
        /// True if it is longer than the file may be.
        var isTooLong = false
        /// True if it begins as the file does, or nothing tells; nothing of it was written.
        var isBeginning = false
    }

    /// The result, once the sink is finished.
    var outcome: Outcome { finished.withLock { $0 } }

    /// - Parameters:
    ///   - segment: The segment, whose first byte is the body's first byte.
    ///   - bodyEnd: The offset behind the body's last byte; `Int64.max` if its length is unknown.
    ///   - isDoubtful: True if the body may be the file's first bytes, whatever its head says.
    ///   - resume: Has the bytes offered again that were held.
    init(
        _ writer: PartWriter, segment: Segment, bodyEnd: Int64, isDoubtful: Bool = false,
        resume: @escaping @Sendable () -> Void = {}
    ) {
        self.isDoubtful = isDoubtful
        self.resume = resume
        plan = writer.plan
        self.writer = writer
        self.segment = segment.id
        self.bodyEnd = bodyEnd
        position = segment.start
        claimed = segment.start
        end = bodyEnd
        // A small file needs no longer buffer than its length.
        let length = min(bodyEnd - segment.start, Int64(SegmentPace.bufferBytes))
        buffer = .allocate(byteCount: max(SegmentPace.smallestBytes, Int(length)), alignment: 4096)
    }

    deinit {
        buffer.deallocate()
    }

    func receive(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        isHolding = false
        if isUnknown, filled + bytes.count > buffer.count {
            isHolding = true
            writer.beginning.whenKnown(resume)
            return .hold
        }
        result.received += Int64(bytes.count)
        receivedSinceTick += bytes.count
        if LengthLimit.isExceeded(writer.limit, by: position + Int64(bytes.count)) {
            result.isTooLong = true
            return .enough
        }
        if position < FileBeginning.length { writer.beginning.note(bytes, at: position) }
        var rest = bytes
        while !rest.isEmpty {
            guard claimMore() else { return .enough }
            let count = min(rest.count, Int(claimed - position), buffer.count - filled)
            guard count > 0 else {
                // The first bytes were forgotten meanwhile.
                result.isBeginning = true
                return .enough
            }
            UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: rest[..<count]))
            filled += count
            position += Int64(count)
            rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            if filled >= min(pace.write, buffer.count), !flush() { return .enough }
        }
        // A segment that was cut ends here: otherwise it would wait for bytes that are not wanted.
        return claimMore() || position == bodyEnd ? .more : .enough
    }

    /// Claims the next bytes, unless there are claimed ones left.
    ///
    /// - Returns: `false` if the segment ends at `position`.
    private func claimMore() -> Bool {
        if position < claimed { return true }
        let range = plan.withLock { plan, now in
            let range = plan.claim(segment, atMost: Int64(pace.claim), now: now)
            if plan.isFar { end = plan.segments[segment].map { plan.reach(of: $0, now: now) } ?? end }
            return range
        }
        guard let range else { return false }
        claimed = range.upperBound
        return true
    }

    var rest: Int64? { end < bodyEnd && bodyEnd < Int64.max ? max(end - position, 0) : nil }

    /// True if nothing tells yet whether the part is the file's first bytes.
    private var isUnknown: Bool { isDoubtful && !writer.beginning.isKnown }

    func tick() -> SinkAnswer {
        if isUnknown, filled > 0 || isHolding {
            doubtfulTicks += 1
            if doubtfulTicks > Self.mostDoubtfulTicks {
                result.isBeginning = true
                return .enough
            }
        }
        pace.tick(received: receivedSinceTick)
        if !hasWrittenSinceTick, !isDoubtful || filled >= FileBeginning.length, !flush() { return .enough }
        receivedSinceTick = 0
        hasWrittenSinceTick = false
        let isRecalled = plan.withLock { plan, now in plan.note(segment, received: position, now: now) }
        return isRecalled ? .enough : .more
    }

    func finish() {
        if isUnknown, filled > 0 { result.isBeginning = true }
        flush()
        finished.withLock { $0 = result }
    }

    @discardableResult
    private func flush() -> Bool {
        guard result.failure == nil, !result.isBeginning else { return false }
        guard filled > 0, !isUnknown else { return true }
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        if isDoubtful, writer.beginning.isSame(as: bytes) {
            result.isBeginning = true
            return false
        }
        isDoubtful = false
        do {
            try writer.write(bytes, at: position - Int64(filled))
        } catch {
            result.failure = error
            return false
        }
        filled = 0
        hasWrittenSinceTick = true
        return true
    }
}
