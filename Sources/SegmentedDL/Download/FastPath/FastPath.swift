internal import DequeModule
internal import Logging
import SegmentedDLSupport
internal import SystemPackage

/// The fast path of small files: many under way as one, without a task or a continuation for each.
///
/// A few connections, each with its place in the scheduler, take requests from one queue. The engine's thread
/// judges each answer, and one thread stores the files in batches. It ends only downloads that succeed, or
/// that fail when the file gets its name: every other one leaves it, and begins in the ordinary way.
package final class FastPath: Sendable {
    /// The number of files that wait for a connection, and of those that wait for the disk.
    private static let most = (pending: 128, storing: 128)

    private struct Host {
        let url: String
        var pending: Deque<FastPathFile> = []
        var connections = 0
        /// Answers that were files, and all others.
        var plain = 0
        var others = 0

        /// True if too many requests are sent twice, because their files leave.
        var isUseless: Bool { others > 1 + plain / 16 }

        mutating func beginAgain() {
            plain = 0
            others = 0
        }
    }

    private struct State {
        var hosts: [String: Host] = [:]
        /// The hosts that get no more requests here.
        var closed: Set<String> = []
        var pending = 0
        var sent: [Int: FastPathFile] = [:]
        var storing = 0
        var leaving: [Leaver] = []
        var connections = 0
        /// The connections that wait for the scheduler.
        var unserved = 0
        /// True if the engine must be woken when there are requests again.
        var isIdle = false
        var isFinishing = false
        var isCancelled = false
        var waiter: CheckedContinuation<Void, Never>?
        var bytes: Int64 = 0
        var entered = 0
        var left = 0

        var count: Int { pending + sent.count + storing }
        var hasRoom: Bool { isCancelled || !leaving.isEmpty || pending < FastPath.most.pending }
        var hasNews: Bool { isCancelled || !leaving.isEmpty || count == 0 }
    }

    private let engine: CurlEngine
    private let scheduler: GlobalScheduler
    private let answered: AnsweredHosts
    private let configuration: Configuration
    private let state = Lock(State())
    private let store = Lock<FastPathStore?>(nil)
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation
    /// The downloads that have ended here, in batches.
    package let ends: AsyncStream<[End]>
    private let end: AsyncStream<[End]>.Continuation

    init(
        _ engine: CurlEngine, _ scheduler: GlobalScheduler, _ answered: AnsweredHosts,
        _ configuration: Configuration
    ) {
        self.engine = engine
        self.scheduler = scheduler
        self.answered = answered
        self.configuration = configuration
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (ends, end) = AsyncStream.makeStream()
        store.withLock {
            $0 = FastPathStore(durability: configuration.durability, logger: configuration.logger) {
                [weak self] in self?.stored($0)
            }
        }
    }

    // MARK: The caller

    /// Returns true if a download may take it.
    package func mayEnter(_ task: DownloadTask) -> Bool {
        let host = task.request.source.origin.description
        return answered.sendsShortBodies(host) && !state.withLock { $0.closed.contains(host) }
            && FastPathRule.mayEnter(task)
    }

    /// Adds downloads, and returns when it accepts more.
    ///
    /// - Returns: The downloads that must begin in the ordinary way, also of earlier calls.
    package func add(_ files: [Leaver]) async -> [Leaver] {
        let transport = configuration.transport
        let (entered, refused) = await DiskThread.run {
            var entrance = FastPathEntrance(transport)
            var (entered, refused) = ([FastPathFile](), [Leaver]())
            for file in files {
                if let file = entrance.file(file.id, file.task) {
                    entered.append(file)
                } else {
                    refused.append(file)
                }
            }
            return (entered, refused)
        }
        let wakes = state.withLock { state in
            for file in entered { Self.insert(file, &state) }
            defer { state.isIdle = false }
            return state.isIdle
        }
        change.yield()
        if wakes { engine.wake() }
        await wait(until: \.hasRoom)
        return refused + takeLeaving()
    }

    private static func insert(_ file: FastPathFile, _ state: inout State) {
        guard !state.isCancelled, !state.closed.contains(file.host) else {
            state.leaving.append(Leaver(id: file.id, task: file.task))
            return
        }
        state.hosts[file.host, default: Host(url: "http://\(file.request.source.origin.authority)/")]
            .pending.append(file)
        state.pending += 1
        state.entered += 1
    }

    /// Waits for the end of the downloads that were added.
    ///
    /// - Returns: Downloads that must begin in the ordinary way; `nil` when none is left here.
    package func finish() async -> [Leaver]? {
        state.withLock { $0.isFinishing = true }
        engine.wake()
        await wait(until: \.hasNews)
        let leaving = takeLeaving()
        if !leaving.isEmpty { return leaving }
        change.finish()
        return nil
    }

    private func takeLeaving() -> [Leaver] {
        state.withLock { state in
            // A cancelled run begins nothing.
            defer { state.leaving = [] }
            return state.isCancelled ? [] : state.leaving
        }
    }

    private func wait(until condition: @escaping @Sendable (State) -> Bool) async {
        while !state.withLock({ condition($0) }) {
            await withCheckedContinuation { continuation in
                let isMet = state.withLock { state in
                    if condition(state) { return true }
                    state.waiter = continuation
                    return false
                }
                if isMet { continuation.resume() }
            }
        }
    }

    /// Resumes the caller, if it waits. It checks itself whether it has to.
    private func tellCaller() {
        state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }?.resume()
    }

    // MARK: Connections

    /// Opens connections as long as there are files for them. Returns when `finish` has returned `nil`, or
    /// the task is cancelled.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await _ in changes {
                    while let host = hostOfNextConnection() { group.addTask { await self.serve(host) } }
                }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
            tellCaller()
        }
        // Files that are on the disk already get their names, also after a cancellation.
        await store.withLock { $0 }?.flush()
        cancelRest()
        end.finish()
        let (entered, left) = state.withLock { ($0.entered, $0.left) }
        configuration.logger.debug(
            "\(entered) small files were requested together; \(left) of them left that")
    }

    private func hostOfNextConnection() -> String? {
        let limits = configuration.limits
        let most = min(scheduler.allowedFiles, limits.connections)
        return state.withLock { state -> String? in
            guard !state.isCancelled, state.connections < most else { return nil }
            let host = state.hosts.first { _, host in
                host.connections < min(host.pending.count, limits.connectionsPerHost)
            }
            guard let name = host?.key else { return nil }
            state.hosts[name]?.connections += 1
            state.connections += 1
            state.unserved += 1
            return name
        }
    }

    private func serve(_ host: String) async {
        let slot = scheduler.submit(priority: 0)
        do {
            try await slot.waitForStart()
            let permit = try await slot.connect(to: host)
            state.withLock { $0.unserved -= 1 }
            await exchange(with: host, slot, permit)
            permit.release()
        } catch {
            state.withLock { $0.unserved -= 1 }
        }
        slot.release()
        state.withLock { state in
            state.hosts[host]?.connections -= 1
            state.connections -= 1
            // A list may have very many hosts.
            if let idle = state.hosts[host], idle.connections == 0, idle.pending.isEmpty {
                state.hosts[host] = nil
            }
        }
        change.yield()
        tellCaller()
    }

    private func exchange(with host: String, _ slot: FileSlot, _ permit: ConnectionPermit) async {
        // A permit counts one request there, and this would send many.
        guard !scheduler.isRestricted(host), let url = state.withLock({ $0.hosts[host]?.url }) else {
            return close(host)
        }
        _ = slot.found(isLarge: false)
        change.yield()
        let line = FastPathLine(self, host)
        try? await engine.exchange(with: url, of: host, line)
        if let refusal = line.refusal { permit.report(refusal) }
        // The ordinary way tries again, and reports the reason.
        if line.wasUseless, !Task.isCancelled { close(host) }
    }

    /// Sends no more requests to a host: its files leave.
    private func close(_ host: String) {
        state.withLock { state in
            state.closed.insert(host)
            Self.dismiss(host, &state)
        }
        tellCaller()
    }

    private static func dismiss(_ host: String, _ state: inout State) {
        guard let files = state.hosts[host]?.pending else { return }
        state.hosts[host]?.pending = []
        state.pending -= files.count
        state.left += files.count
        state.leaving += files.map { Leaver(id: $0.id, task: $0.task) }
    }

    // MARK: Requests and answers, on the engine's thread

    /// Returns true if other files or connections wait for their turn.
    var othersWait: Bool {
        scheduler.waitingCount > state.withLock { $0.unserved }
    }

    func next(_ host: String) -> FastPathNext {
        let next = state.withLock { state -> FastPathNext in
            guard !state.isCancelled, !state.closed.contains(host) else { return .close }
            guard state.storing < Self.most.storing, let file = state.hosts[host]?.pending.popFirst() else {
                if state.isFinishing, state.hosts[host]?.pending.isEmpty ?? true { return .close }
                state.isIdle = true
                return .wait
            }
            state.pending -= 1
            state.sent[file.id] = file
            return .send(FastPathRequest(id: file.id, bytes: file.bytes))
        }
        if case .send = next, state.withLock({ $0.pending == Self.most.pending / 2 }) { tellCaller() }
        return next
    }

    /// - Returns: The refusal of a host that limits its requests.
    func answered(_ id: Int, _ answer: FastPathAnswer, from host: String) -> ResponseVerdict? {
        guard let file = state.withLock({ $0.sent[id] }) else { return nil }
        var refusal: ResponseVerdict?
        var plain: FastPathStore.Item?
        switch answer {
        case .complete(let head, let body, let opened):
            configuration.logger.tell(.answered(head, from: file.request.source))
            let verdict = PlainAnswer.verdict(head, body: body, to: file.request, now: WallClock.seconds())
            switch verdict {
            case .plain(let answer): plain = .init(file: file, answer: answer, opened: opened)
            case .restricted(let verdict): refusal = verdict
            case .other: break
            }
        case .otherwise(let head):
            configuration.logger.tell(.answered(head, from: file.request.source))
        case .malformed, .lost: break
        }
        let isStored = plain != nil
        let isUseless = state.withLock { state -> Bool in
            state.sent[id] = nil
            if isStored {
                state.storing += 1
                state.hosts[host]?.plain += 1
                return false
            }
            // A cancelled download ends as such.
            guard !state.isCancelled else {
                state.sent[id] = file
                return false
            }
            state.left += 1
            state.leaving.append(Leaver(id: id, task: file.task))
            state.hosts[host]?.others += 1
            guard state.hosts[host]?.isUseless ?? false else { return false }
            state.hosts[host]?.beginAgain()
            Self.dismiss(host, &state)
            return true
        }
        if let plain { store.withLock { $0 }?.add(plain) }
        if isUseless { answered.note(host, isShort: false) }
        if refusal != nil { close(host) }
        if !isStored { tellCaller() }
        return refusal
    }

    // MARK: The end of a file

    /// Called on the thread of the disk.
    private func stored(_ files: [(FastPathStore.Item, FastPathStore.End)]) {
        var ended: [End] = []
        var leaving: [Leaver] = []
        for (item, end) in files {
            switch end {
            case .complete(let result): ended.append(End(item, .success(result)))
            case .failed(let error): ended.append(End(item, .failure(error)))
            case .leaves: leaving.append(Leaver(id: item.file.id, task: item.file.task))
            }
        }
        if !ended.isEmpty { end.yield(ended) }
        let wakes = state.withLock { state in
            state.storing -= files.count
            state.left += leaving.count
            state.leaving += leaving
            defer { state.isIdle = false }
            return state.isIdle
        }
        if wakes { engine.wake() }
        tellCaller()
    }

    /// Ends the downloads of a cancelled run whose requests were sent; the others have not begun.
    private func cancelRest() {
        let sent = state.withLock { state in
            defer { state.sent = [:] }
            return Array(state.sent.values)
        }
        let ended = sent.map { file in
            End(
                id: file.id, request: file.request, result: .failure(CancellationError()),
                progress: DownloadProgress(state: .cancelled, name: file.path.lastComponent?.string))
        }
        if !ended.isEmpty { end.yield(ended) }
        tellCaller()
    }
}
