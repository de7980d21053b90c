/// Puts bytes into the part file, and tells all who have to know that they are there.
struct PartWriter: Sendable {
    let part: PartFile
    let plan: SharedPlan
    /// What notes the writes; `nil` if the download cannot be gone on with.
    var checkpointer: Checkpointer?
    /// What hashes them; `nil` if no digest is wanted.
    var frontier: DigestFrontier?

    func write(_ bytes: UnsafeRawBufferPointer, at start: Int64) throws(StorageError) {
        try part.write(bytes, at: start)
        let range = start..<(start + Int64(bytes.count))
        let withoutGap = plan.withLock { plan, _ in
            plan.wrote(range)
            return plan.gaplessEnd
        }
        checkpointer?.wrote(range)
        frontier?.reach(withoutGap)
    }

    /// What is there counts no more: a stream starts again at its first byte.
    func startOver() {
        plan.withLock { plan, _ in plan.startOver() }
        frontier?.startOver()
    }
}
