/// Asks a host about copies of its files, one after the other, until one has changed.
///
/// Most copies of a mirror have not, and a download for each costs several times what the question does.
struct CopyInquiry: Sendable {
    /// A copy, and what makes the host answer that it is still the file.
    struct Question: Sendable {
        let source: Source
        let condition: Condition
    }

    /// What the host said.
    struct Answer: Sendable {
        /// How many of the first copies have not changed.
        var unchanged: Int
        /// The download of the one behind them, which goes on from the answer.
        var changed: DownloadHandle?
        /// Whether the task was cancelled, or the engine shut down. If not, those that are left can be asked about at once.
        var isCancelled = false
    }

    /// A download that has been prepared, and perhaps begun.
    struct Prepared: Sendable {
        let request: DownloadRequest
        var requester: Requester
        /// What came of its first request.
        var answer: Result<ProbedResponse, any Error>?
    }

    /// After so many seconds others have their turn, and there is something to show.
    private static let longest = 1.0

    let slot: FileSlot
    let engine: any TransferEngine
    let retry: RetryPolicy
    /// About files of one host, whose downloads differ in nothing else; at least one.
    let questions: [Question]
    /// Prepares the download of the file that a question is about. The first one's is what all are asked like.
    let prepare: @Sendable (Int) -> Prepared

    /// Waits for the slot, and gives it back if no download begins.
    ///
    /// - Returns: How many copies have not changed, and the next one's download; `nil` for that if they are all, or took
    ///   long.
    func run() async -> (unchanged: Int, next: Prepared?) {
        var (done, goesOn) = (0, false)
        defer { if !goesOn { slot.release() } }
        var next = prepare(0)
        do {
            try await slot.waitForStart()
            let permit = try await next.requester.permit()
            let asking = next.requester.probing(next.request)
            let requests = questions.map { asking.request($0) }
            let answer = await engine.open(requests, for: Self.longest)
            done = answer.unchanged
            if done > 0 { permit.worked() }
            guard let sent = answer.next else {
                permit.release()
                return (done, nil)
            }
            if done > 0 { next = prepare(done) }
            if let counters = requests[done].counters { next.requester.counters = counters }
            let response = try await Probe(of: next.request, next.requester, retry).run(
                from: 0, sent: Probe.Sent(answer: sent, permit: permit, seconds: answer.secondsOfNext))
            guard response.isUnchanged else {
                goesOn = true
                next.answer = .success(response)
                return (done, next)
            }
            // Behind a redirect.
            response.abandon()
            return (done + 1, nil)
        } catch {
            goesOn = !(error is CancellationError)
            next.answer = .failure(error)
            return (done, next)
        }
    }
}
