import SegmentedDLSupport

/// Writes one segment's bytes from the engine to the disk.
///
/// `@unchecked Sendable`: after `init`, everything except `outcome` is accessed by only one thread: the
/// engine's, or a disk thread for a body that was received with its head.
final class SegmentSink: BodySink, @unchecked Sendable {
    private let plan: SharedPlan
    private let writer: PartWriter
    private let segment: Segment.ID
    private let buffer: UnsafeMutableRawBufferPointer

    /// The offset of the end of the response's body. A connection that reaches it can be reused.
    private let bodyEnd: Int64
    /// The offset of the next byte to receive.
    private var position: Int64
    /// The maximum number of ticks for which a part waits for the file's first bytes, half a minute. The plan
    /// usually abandons the connection before that, because no bytes arrive.
    static let mostDoubtfulTicks = 600

    /// The end of the claimed bytes.
    private var claimed: Int64
    /// The end of the segment's bytes at the last claim. If round trips are negligible, it is the body's end,
    /// because the server sends little more before it notices that the connection was closed.
    private var end: Int64
    /// The number of bytes in use in `buffer`; their end is `position`.
    private var filled = 0
    /// True while the part may actually be the file's first bytes.
    private var isDoubtful: Bool
    /// Requests the bytes that were held back because the file's first bytes had not arrived.
    private let resume: @Sendable () -> Void
    private var isHolding = false
    private var doubtfulTicks = 0
    /// The bytes after the segment that arrived while it waits; see `SegmentPlan.waitsForAnswer(behind:)`.
    private var ahead: [UInt8] = []
    private var isWaiting = false
    private var pace = SegmentPace()
    private var receivedSinceTick = 0
    private var hasWrittenSinceTick = false

    private var result = Outcome()
    private let finished = Lock(Outcome())

    struct Outcome: Sendable {
        /// The number of received bytes.
        var received: Int64 = 0
        /// The reason why the segment cannot continue, if it is a disk error.
        var failure: StorageError?
        /// True if the file is longer than allowed.
        var isTooLong = false
        /// True if the part begins like the file, or may do so; none of its bytes were written.
        var isBeginning = false
        /// True if the response continued past the end of the file that its head states.
        var isBeyondEnd = false
        /// See `SegmentPace.hasPaused`.
        var hasPaused: Bool?
    }

    /// The result, once the sink has finished.
    var outcome: Outcome { finished.withLock { $0 } }

    /// - Parameters:
    ///   - segment: The segment, which begins with the body's first byte.
    ///   - bodyEnd: The offset after the body's last byte; `Int64.max` if its length is unknown.
    ///   - isDoubtful: True if the body may be the file's first bytes, although its head says otherwise.
    ///   - resume: Requests the bytes that were held back.
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
        // For a small file, a buffer of the same length is enough.
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
        if isWaiting {
            let answer = continueWaiting()
            guard !isWaiting else {
                isHolding = true
                return .hold
            }
            guard answer == .more else { return answer }
        }
        result.received += Int64(bytes.count)
        receivedSinceTick += bytes.count
        if LengthLimit.isExceeded(writer.limit, by: position + Int64(bytes.count)) {
            result.isTooLong = true
            return .enough
        }
        // A doubtful part may be the file's first bytes, and must not be compared with itself.
        if !isDoubtful, position < FileBeginning.length { writer.beginning.note(bytes, at: position) }
        return take(bytes)
    }

    /// Writes received bytes, as far as they are the segment's.
    private func take(_ bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        if Int64(bytes.count) > bodyEnd - position, plan.withLock({ plan, _ in plan.total == bodyEnd }) {
            return endBeyond()
        }
        var rest = bytes
        while !rest.isEmpty {
            guard claimMore() else { return wait(with: rest) }
            let count = min(rest.count, Int(claimed - position), buffer.count - filled)
            guard count > 0 else {
                // The first bytes have been discarded in the meantime.
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
        // A shortened segment ends here: otherwise it would wait for bytes that are not needed.
        return claimMore() || position == bodyEnd ? .more : wait(with: rest)
    }

    /// Ends the segment because the response continues past the end of the file: the length is wrong. The
    /// last bytes are dropped, so that the file does not count as complete.
    private func endBeyond() -> SinkAnswer {
        result.isBeyondEnd = true
        position -= Int64(filled)
        filled = 0
        return .enough
    }

    /// Ends the segment, unless it has to wait.
    private func wait(with bytes: UnsafeRawBufferPointer) -> SinkAnswer {
        guard plan.withLock({ plan, _ in plan.waitsForAnswer(behind: segment) }), flush() else {
            return .enough
        }
        isWaiting = true
        ahead = Array(bytes)
        return .more
    }

    /// Continues with the bytes after the segment if they now belong to it.
    private func continueWaiting() -> SinkAnswer {
        guard claimMore() else {
            isWaiting = plan.withLock { plan, _ in plan.waitsForAnswer(behind: segment) }
            return isWaiting ? .more : .enough
        }
        isWaiting = false
        let bytes = ahead
        ahead = []
        return bytes.withUnsafeBytes(take)
    }

    /// Claims the next bytes, unless claimed ones remain.
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

    /// True while the part may be the file's first bytes.
    private var isUnknown: Bool { isDoubtful && !writer.beginning.isKnown }

    func tick() -> SinkAnswer {
        if isUnknown, filled > 0 || isHolding {
            doubtfulTicks += 1
            if doubtfulTicks > Self.mostDoubtfulTicks {
                result.isBeginning = true
                return .enough
            }
        }
        if isWaiting {
            guard continueWaiting() == .more else { return .enough }
            if !isWaiting, isHolding { resume() }
        }
        pace.tick(received: receivedSinceTick)
        if !hasWrittenSinceTick, !isDoubtful || filled >= FileBeginning.length, !flush() { return .enough }
        receivedSinceTick = 0
        hasWrittenSinceTick = false
        let isOver = plan.withLock { plan, now in
            let isOver = plan.note(segment, received: position, now: now)
            claimed = plan.takeBackClaims(of: segment, from: position, now: now) ?? claimed
            return isOver
        }
        return isOver ? .enough : .more
    }

    func finish() {
        if isWaiting { _ = continueWaiting() }
        if receivedSinceTick > 0 { pace.noteArrival(received: receivedSinceTick) }
        result.hasPaused = pace.hasPaused
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
