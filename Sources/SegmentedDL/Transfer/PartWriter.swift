/// Puts bytes into the part file, and tells all who have to know that they are there.
struct PartWriter: Sendable {
    let part: PartFile
    let plan: SharedPlan
    /// What notes the writes; `nil` if the download cannot be gone on with.
    var checkpointer: Checkpointer?
    /// What hashes them; `nil` if no digest is wanted.
    var frontier: DigestFrontier?
    /// What hashes its pieces; `nil` if they have no digests. What is hashed in order waits for them.
    var pieces: PieceCheck?
    /// Told which bytes are about to be there; `nil` if it does not matter where they came from.
    var contributes: (@Sendable (ByteRange) -> Void)?

    func write(_ bytes: UnsafeRawBufferPointer, at start: Int64) throws(StorageError) {
        try part.write(bytes, at: start)
        let range = start..<(start + Int64(bytes.count))
        // Before anyone can ask who has written them.
        contributes?(range)
        let withoutGap = plan.withLock { plan, _ in
            plan.wrote(range)
            return plan.gaplessEnd
        }
        checkpointer?.wrote(range)
        if let pieces {
            pieces.wrote(range)
        } else {
            frontier?.reach(withoutGap)
        }
    }

    /// These bytes are not the file's.
    func takeBack(_ range: ByteRange) {
        plan.withLock { plan, _ in plan.unwrite(range) }
        checkpointer?.takeBack(range)
    }

    /// What is there counts no more: a stream starts again at its first byte.
    func startOver() {
        plan.withLock { plan, _ in plan.startOver() }
        pieces?.startOver()
        frontier?.startOver()
    }
}
