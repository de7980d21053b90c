import SegmentedDLSupport

/// Writes bytes into the part file, and updates the plan, the manifest and the hashes.
struct PartWriter: Sendable {
    let part: any ByteStore
    let plan: SharedPlan
    /// Records the writes in the manifest; `nil` if the download cannot be resumed.
    var checkpointer: Checkpointer?
    /// Hashes the bytes; `nil` if no digest is needed.
    var frontier: DigestFrontier?
    /// True if the finished file is compared with a digest.
    var isVerified = false
    /// Passes on the bytes in order; `nil` unless they are written to a descriptor.
    var drain: WindowDrain?
    /// Hashes the file's pieces; `nil` if they have no digests. If set, only verified bytes are hashed in
    /// order.
    var pieces: PieceCheck?
    /// The maximum number of bytes to accept for a file of unknown length; `nil` for any.
    var limit: LengthLimit?
    /// Measures the time of writes; `nil` if it is not needed.
    var counters: TransferCounters?
    /// The first bytes of the file, to detect a part that begins with them.
    let beginning = FileBeginning()
    /// Records the source of bytes that are now on disk; `nil` if the source is not needed.
    var contributes: (@Sendable (ByteRange) -> Void)?

    func write(_ bytes: UnsafeRawBufferPointer, at start: Int64) throws(StorageError) {
        let began = Monotonic.now()
        try part.write(bytes, at: start)
        counters?.wrote(in: Monotonic.now() - began)
        let range = start..<(start + Int64(bytes.count))
        // Do this before the plan reports the bytes: a wrong piece is attributed to its source as soon as it
        // is complete.
        contributes?(range)
        let count = {
            plan.withLock { plan, _ in
                plan.wrote(range)
                return plan.gaplessEnd
            }
        }
        frontier?.wrote(bytes, at: start)
        let withoutGap = checkpointer?.wrote(bytes, at: start, count: count) ?? count()
        if let pieces {
            pieces.wrote(range)
        } else {
            frontier?.reach(withoutGap) { gaplessEnd }
        }
        drain?.reach(withoutGap)
    }

    /// The end of the contiguous bytes at the beginning of the file that are on disk.
    var gaplessEnd: Int64 { plan.withLock { plan, _ in plan.gaplessEnd } }

    /// Marks wrong bytes as missing, so that they are fetched again.
    func takeBack(_ range: ByteRange) {
        if range.lowerBound < FileBeginning.length { beginning.forget() }
        plan.withLock { plan, _ in plan.unwrite(range) }
        checkpointer?.takeBack(range)
        frontier?.exclude(range)
        // With piece digests, it has hashed only verified bytes.
        if pieces == nil { frontier?.startOver() }
    }

    /// Discards all bytes on disk: a stream restarts at its first byte.
    func startOver() {
        beginning.forget()
        plan.withLock { plan, _ in plan.startOver() }
        checkpointer?.takeBack(0..<Int64.max)
        pieces?.startOver()
        frontier?.exclude(0..<Int64.max)
        frontier?.startOver()
    }
}
