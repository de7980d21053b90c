/// Asks a host about copies of its files, one after the other, until one has changed.
///
/// Most copies of a mirror have not, and a download for each costs several times what the question does.
struct CopyInquiry: Sendable {
    /// What the host said.
    struct Answer: Sendable {
        /// How many of the first copies have not changed.
        var unchanged: Int
        /// The download of the one behind them, which goes on from the answer.
        var changed: DownloadHandle?
        /// Whether the task was cancelled, or the engine shut down. If not, those that are left can be asked about at once.
        var isCancelled = false
    }

    /// After so many seconds others have their turn, and there is something to show.
    private static let longest = 1.0

    let slot: FileSlot
    let engine: any TransferEngine
    /// The first request of each file's download; at least one.
    let probes: [Probe]

    /// Waits for the slot, and gives it back if no download begins.
    ///
    /// - Returns: How many copies have not changed, and what came of the next one's first request; `nil` for that if they
    ///   are all, or took long.
    func run() async -> (unchanged: Int, next: Result<ProbedResponse, any Error>?) {
        var (done, goesOn) = (0, false)
        defer { if !goesOn { slot.release() } }
        do {
            try await slot.waitForStart()
            let permit = try await probes[0].requester.permit()
            let answer = await engine.open(
                probes.map { $0.requester.request(.from(0)) }, for: Self.longest)
            done = answer.unchanged
            if done > 0 { permit.worked() }
            guard let next = answer.next else {
                permit.release()
                return (done, nil)
            }
            let response = try await probes[done].run(
                from: 0, sent: Probe.Sent(answer: next, permit: permit, seconds: answer.secondsOfNext))
            guard response.isUnchanged else {
                goesOn = true
                return (done, .success(response))
            }
            // Behind a redirect.
            response.abandon()
            return (done + 1, nil)
        } catch {
            goesOn = !(error is CancellationError)
            return (done, .failure(error))
        }
    }
}
