/// Asks about copies of files that are there, one after the other, until one has changed.
///
/// Most copies of a mirror have not, and a download for each costs several times what the question does.
struct CopyInquiry: Sendable {
    /// What the copies' servers said.
    struct Answer: Sendable {
        /// How many of the first copies have not changed.
        var unchanged: Int
        /// The download of the one behind them, which goes on from the answer; `nil` if none is left.
        var changed: DownloadHandle?
    }

    let slot: FileSlot
    /// The first request of each file's download.
    let probes: [Probe]

    /// Waits for the slot. It is released if all copies are as they were.
    ///
    /// - Returns: How many they are, and what came of the next one's first request.
    /// - Throws: `CancellationError`.
    func run() async throws -> (unchanged: Int, next: Result<ProbedResponse, any Error>?) {
        var isOver = true
        defer { if isOver { slot.release() } }
        try await slot.waitForStart()
        for (index, probe) in probes.enumerated() {
            do {
                let response = try await probe.run(from: 0)
                guard response.isUnchanged else {
                    isOver = false
                    return (index, .success(response))
                }
                response.abandon()
            } catch let error as CancellationError {
                throw error
            } catch {
                isOver = false
                return (index, .failure(error))
            }
        }
        return (probes.count, nil)
    }
}
