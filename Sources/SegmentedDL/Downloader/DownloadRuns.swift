import SegmentedDLSupport

/// The consecutive runs of one download, and the calls that wait for its end.
///
/// A pause ends a run with a checkpoint, and the next run begins there.
final class DownloadRuns: Sendable {
    typealias Outcome = Result<DownloadResult, any Error>

    private enum Phase {
        /// A run is active.
        case running(Task<Void, Never>)
        /// A run is being stopped, or none has begun yet.
        case stopping(Wish)
        case paused
        case ended(Outcome)
    }

    /// The action requested for after a run has stopped.
    private enum Wish {
        case pause, resume, cancel
    }

    private struct State {
        var phase = Phase.stopping(.resume)
        /// `nil` once the download has ended, so that a retained handle does not retain the downloader.
        var makeNext: (@Sendable () -> FileDownload)?
        var waiters: [Int: CheckedContinuation<Outcome?, Never>] = [:]
        var lastWaiter = 0
        /// The calls that wait until the run has stopped.
        var pausing: [CheckedContinuation<Void, Never>] = []
        /// The number in the list of paused downloads.
        var place: Int?
    }

    private let state = Lock(State())
    private let tracker: ProgressTracker
    private let paused: PausedDownloads
    private let isPausable: Bool

    /// - Parameter isPausable: False if the next run could not resume this one.
    init(tracker: ProgressTracker, paused: PausedDownloads, isPausable: Bool) {
        self.tracker = tracker
        self.paused = paused
        self.isPausable = isPausable
    }

    deinit {
        if let place = state.withLock({ $0.place }) { paused.remove(place) }
    }

    // MARK: Runs

    /// Begins the first run.
    ///
    /// - Parameter makeNext: Creates the download for each run after a pause.
    func begin(_ download: FileDownload, makeNext: @escaping @Sendable () -> FileDownload) {
        state.withLock { state in
            state.makeNext = makeNext
            state.phase = .running(run(download))
        }
    }

    private func run(_ download: FileDownload) -> Task<Void, Never> {
        Task {
            let outcome: Outcome
            do {
                outcome = .success(try await download.run())
            } catch is CancellationError where paused.isShutDown && !Task.isCancelled {
                outcome = Self.shutDown
            } catch {
                outcome = .failure(error)
            }
            // A pause must not return before the connections are closed.
            if isPausing { await download.client.engine.drain() }
            ended(outcome)
        }
    }

    private var isPausing: Bool {
        state.withLock { state in
            if case .stopping(.pause) = state.phase { true } else { false }
        }
    }

    private func ended(_ outcome: Outcome) {
        let wasStopped = if case .failure(is CancellationError) = outcome { true } else { false }
        let callers = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
            switch state.phase {
            case .stopping(.pause) where wasStopped && !paused.isShutDown: state.phase = .paused
            case .stopping(.resume) where wasStopped: beginNext(&state)
            default: return nil
            }
            defer { state.pausing = [] }
            return state.pausing
        }
        guard let callers else { return end(wasStopped && paused.isShutDown ? Self.shutDown : outcome) }
        for caller in callers { caller.resume() }
    }

    private func beginNext(_ state: inout State) {
        guard let next = state.makeNext?() else { return }
        tracker.endPause(as: .queued)
        state.phase = .running(run(next))
    }

    private static let shutDown = Outcome.failure(DownloadError.shutDown())

    private func end(_ outcome: Outcome) {
        // A shutdown stops the download by cancelling it, although the caller has not cancelled it.
        if case .failure(let error as DownloadError) = outcome, error.code == .shutDown {
            tracker.enter(.failed)
        }
        let before = state.withLock { state -> State in
            let before = state
            state = State(phase: .ended(outcome), lastWaiter: before.lastWaiter)
            return before
        }
        tracker.endPause(as: .cancelled)
        if let place = before.place { paused.remove(place) }
        for waiter in before.waiters.values { waiter.resume(returning: outcome) }
        for caller in before.pausing { caller.resume() }
    }

    // MARK: Verbs

    /// Stops the run, and returns when it has stopped. Has no effect on a download that has ended or cannot
    /// be resumed.
    func pause() async {
        guard isPausable else { return }
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state -> Bool in
                switch state.phase {
                case .running(let task):
                    if state.place == nil { state.place = paused.add { [weak self] in self?.endPaused() } }
                    tracker.beginPause()
                    state.phase = .stopping(.pause)
                    task.cancel()
                case .stopping(.resume): state.phase = .stopping(.pause)
                case .stopping: break
                case .paused, .ended: return false
                }
                state.pausing.append(continuation)
                return true
            }
            if !waits { continuation.resume() }
        }
    }

    /// Begins the next run, if the download is paused or being paused.
    func resume() {
        state.withLock { state in
            switch state.phase {
            case .paused: beginNext(&state)
            case .stopping(.pause): state.phase = .stopping(.resume)
            case .running, .stopping, .ended: break
            }
        }
    }

    /// Stops the download permanently.
    func cancel() {
        let isPaused = state.withLock { state -> Bool in
            switch state.phase {
            case .running(let task):
                state.phase = .stopping(.cancel)
                task.cancel()
            case .paused:
                state.phase = .stopping(.cancel)
                return true
            case .stopping: state.phase = .stopping(.cancel)
            case .ended: break
            }
            return false
        }
        if isPaused { end(.failure(CancellationError())) }
    }

    /// Ends a paused download, because the downloader shuts down.
    private func endPaused() {
        let isPaused = state.withLock { state -> Bool in
            guard case .paused = state.phase else { return false }
            state.phase = .stopping(.cancel)
            return true
        }
        if isPaused { end(Self.shutDown) }
    }

    // MARK: Waiting

    /// Waits for the download's end.
    ///
    /// - Returns: `nil` if the waiting task was cancelled.
    func outcome() async -> Outcome? {
        let number = makeWaiter()
        return await withTaskCancellationHandler {
            await wait(as: number, isCancellable: true)
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: nil)
        }
    }

    /// Waits for the download's end, even in a cancelled task.
    func finalOutcome() async -> Outcome {
        await wait(as: makeWaiter(), isCancellable: false) ?? .failure(CancellationError())
    }

    private func makeWaiter() -> Int {
        state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
    }

    private func wait(as number: Int, isCancellable: Bool) async -> Outcome? {
        await withCheckedContinuation { continuation in
            let known = state.withLock { state -> Outcome?? in
                if case .ended(let outcome) = state.phase { return .some(outcome) }
                if isCancellable, Task.isCancelled { return .some(nil) }
                state.waiters[number] = continuation
                return nil
            }
            if let known { continuation.resume(returning: known) }
        }
    }
}
