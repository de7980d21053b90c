internal import DequeModule
internal import Logging
import SegmentedDLSupport
internal import SystemPackage

/// The fast path for small files: many downloads run together, without a task or a continuation for each,
/// except while a caller chooses the path of one.
///
/// A few connections, each with its own slot in the scheduler, send requests from a shared queue. The
/// engine's thread evaluates each response, and one thread stores the files in batches. Downloads end here
/// only if they succeed, or if they fail when the caller chooses the path or when the file is renamed. All
/// others leave the fast path, and start again as ordinary downloads.
package final class FastPath: Sendable {
    /// The maximum number of files that wait for the disk, and of all files that wait for it or have an
    /// active request.
    private static let most = (storing: 128, all: 512)

    struct Host {
        let url: String
        /// True if its requests are streams of a shared connection.
        var isShared: Bool
        /// True if files with a known digest are requested without waiting for earlier responses.
        var isPipelined: Bool
        var pending: Deque<FastPathFile> = []
        var connections = 0
        /// The number of responses that were files, and the number of all others.
        var plain = 0
        var others = 0

        /// True if too many requests are sent twice, because their files leave the fast path.
        var isUseless: Bool { others > 1 + plain / 16 }

        mutating func beginAgain() {
            plain = 0
            others = 0
        }
    }

    struct State {
        var hosts: [String: Host] = [:]
        /// The hosts to which no more requests are sent here.
        var closed: Set<String> = []
        var sent: [Int: FastPathFile] = [:]
        var storing = 0
        var connections = 0
        /// The number of connections that are left to other requests.
        var spared = 0
        /// The number of connections that wait for the scheduler.
        var unserved = 0
        /// Files whose paths the caller has yet to choose. They count as being stored.
        var undecided: Deque<FastPathStore.Item> = []
        /// The signals that withdraw files whose paths are being chosen, by their numbers.
        var withdrawals: [Int: AsyncEvent] = [:]
        var streams: [Int: FastPathStream] = [:]
        var lastStream = 0
        /// True if the engine must be woken when there are requests again.
        var isIdle = false
        var isFinishing = false
        var isCancelled = false
        var entered = 0
        var left = 0

        var hasRoom: Bool {
            storing < FastPath.most.storing && storing + sent.count < FastPath.most.all
        }

        /// Removes and returns the files of a host that wait for a connection.
        mutating func takePending(of host: String) -> [FastPathFile] {
            defer { hosts[host]?.pending = [] }
            return Array(hosts[host]?.pending ?? [])
        }

        /// Removes and returns some of the files that wait for a connection.
        mutating func takePending(where isMeant: (FastPathFile) -> Bool) -> [FastPathFile] {
            var files: [FastPathFile] = []
            for (name, host) in hosts where host.pending.contains(where: isMeant) {
                files += host.pending.filter(isMeant)
                hosts[name]?.pending.removeAll(where: isMeant)
            }
            return files
        }
    }

    private let engine: CurlEngine
    let scheduler: GlobalScheduler
    let answered: AnsweredHosts
    let configuration: Configuration
    let state = Lock(State())
    let store = Lock<FastPathStore?>(nil)
    private let changes: AsyncStream<Void>
    let change: AsyncStream<Void>.Continuation

    init(
        _ engine: CurlEngine, _ scheduler: GlobalScheduler, _ answered: AnsweredHosts,
        _ configuration: Configuration
    ) {
        self.engine = engine
        self.scheduler = scheduler
        self.answered = answered
        self.configuration = configuration
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        store.withLock {
            $0 = FastPathStore(durability: configuration.durability, logger: configuration.logger) {
                [weak self] in self?.stored($0)
            }
        }
    }

    // MARK: The caller

    /// Returns true if files of an origin may use the fast path.
    package func serves(_ origin: Origin) -> Bool {
        let host = origin.description
        // Until it is known whether requests share a connection, one connection may suffice for all of them.
        if offersHTTP2(origin), scheduler.shares(host) == nil { return false }
        // It may have asked for a pause of hours, during which its files would keep others waiting.
        guard answered.sendsShortBodies(host), !scheduler.isRestricted(host) else { return false }
        return !state.withLock { $0.closed.contains(host) }
    }

    /// Returns true if a download may use the fast path.
    package func mayEnter(_ task: DownloadTask) -> Bool {
        serves(task.request.source.origin) && FastPathRule.mayEnter(task)
    }

    /// Adds downloads, each of which must satisfy `mayEnter`.
    ///
    /// - Returns: A batch that reports the results of the downloads while `run` is active.
    package func add(_ entries: [Entry]) async -> FastPathBatch {
        let batch = FastPathBatch(count: entries.count)
        let transport = configuration.transport
        let (files, refused) = await DiskThread.run {
            var entrance = FastPathEntrance(transport, batch)
            var (files, refused) = ([FastPathFile](), [Entry]())
            for entry in entries {
                if let file = entrance.file(entry) { files.append(file) } else { refused.append(entry) }
            }
            return (files, refused)
        }
        batch.leave(refused)
        insert(files, of: batch)
        return batch
    }

    private func offersHTTP2(_ origin: Origin) -> Bool {
        configuration.transport.usesHTTP2 && origin.scheme == "https"
    }

    private func sharesConnection(_ origin: Origin) -> Bool {
        offersHTTP2(origin) && scheduler.shares(origin.description) ?? false
    }

    private func insert(_ files: [FastPathFile], of batch: FastPathBatch) {
        let origins = Set(files.map(\.request.source.origin))
        let hosts = origins.map { origin in
            let url = "\(origin.scheme)://\(origin.authority)/"
            let isPipelined = origin.scheme == "http" && scheduler.shares(origin.description) ?? true
            return (
                origin.description,
                Host(url: url, isShared: sharesConnection(origin), isPipelined: isPipelined)
            )
        }
        let (closed, wakes) = state.withLock { state -> ([FastPathFile]?, Bool) in
            if state.isCancelled { return (nil, false) }
            state.entered += files.count
            let closed = files.filter { state.closed.contains($0.host) }
            for (name, host) in hosts where state.hosts[name] == nil { state.hosts[name] = host }
            for file in files where !state.closed.contains(file.host) {
                state.hosts[file.host]?.pending.append(file)
            }
            defer { state.isIdle = false }
            return (closed, state.isIdle)
        }
        guard let closed else { return batch.drop(files.count) }
        leave(closed)
        change.yield()
        if wakes { wake() }
    }

    /// Makes downloads leave the fast path, unless their files are already being stored. Their responses are
    /// ignored. A closure that is choosing a path is cancelled, and its download leaves when it has returned.
    ///
    /// - Parameter ids: The numbers of their entries. A number must not be used again.
    package func withdraw(_ ids: Set<Int>) {
        let files = state.withLock { state in
            let sent = ids.compactMap { state.sent.removeValue(forKey: $0) }
            return sent + state.takePending { ids.contains($0.id) }
        }
        leave(files)
        withdrawUndecided(ids)
    }

    /// Leaves connections to other requests, such as those for listings.
    package func spare(_ connections: Int) {
        state.withLock { $0.spared = connections }
        change.yield()
    }

    /// Lets `run` return. All files must have ended, and none may be added afterwards.
    package func finish() {
        state.withLock { $0.isFinishing = true }
        change.finish()
        wake()
    }

    // MARK: Connections

    /// Opens connections while there are files for them. Returns after `finish`, or when the task is
    /// cancelled.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { group in
                for await _ in changes {
                    while let item = nextUndecided() { group.addTask { await self.choosePath(for: item) } }
                    while let host = hostOfNextConnection() { group.addTask { await self.serve(host) } }
                }
            }
        } onCancel: {
            state.withLock { $0.isCancelled = true }
        }
        // Files that are already on disk are still renamed, even after a cancellation.
        await store.withLock { $0 }?.flush()
        endRest()
        let (entered, left) = state.withLock { ($0.entered, $0.left) }
        guard entered > 0 else { return }
        configuration.logger.debug(
            "\(entered) small files were requested in a batch; \(left) of them had to leave it")
    }

    private func hostOfNextConnection() -> String? {
        let limits = configuration.limits
        let allowed = scheduler.allowedFiles
        return state.withLock { state -> String? in
            guard !state.isCancelled, state.connections < max(1, allowed - state.spared) else { return nil }
            let most = max(1, min(limits.connectionsPerHost, limits.connections) - state.spared)
            let host = state.hosts.first { _, host in
                host.connections < min(host.pending.count, host.isShared ? limits.requestsPerHost : most)
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
        let permit = try? await self.permit(for: host, slot)
        state.withLock { $0.unserved -= 1 }
        if let permit {
            await exchange(with: host, slot, permit)
            permit.release()
        }
        slot.release()
        state.withLock { state in
            state.hosts[host]?.connections -= 1
            state.connections -= 1
            // Remove idle hosts, because a list may have very many of them.
            if let idle = state.hosts[host], idle.connections == 0, idle.pending.isEmpty {
                state.hosts[host] = nil
            }
        }
        change.yield()
    }

    /// - Returns: `nil` for a host that limits its requests: the slot would be held for the pause that it
    ///   asks for.
    /// - Throws: `CancellationError`.
    private func permit(for host: String, _ slot: FileSlot) async throws -> ConnectionPermit? {
        try await slot.waitForStart()
        let isShared = state.withLock { $0.hosts[host]?.isShared ?? false }
        let permit = try await slot.connectUnlessRestricted(to: host, mayShare: isShared)
        if permit == nil { close(host) }
        return permit
    }

    private func exchange(with host: String, _ slot: FileSlot, _ permit: ConnectionPermit) async {
        // A permit counts as one request on such a host, but this would send many.
        guard !scheduler.isRestricted(host), let url = state.withLock({ $0.hosts[host]?.url }) else {
            return close(host)
        }
        let isShared = permit.offersSharing
        _ = slot.found(isLarge: false, isShared: isShared)
        change.yield()
        let line = FastPathLine(self, host, isStream: isShared)
        if isShared {
            let stream = FastPathStream(
                to: host, line, over: { permit.sharedConnections }, patience: Self.patienceSeconds)
            await exchange(over: stream, permit)
        } else {
            state.withLock { $0.hosts[host]?.isShared = false }
            try? await engine.exchange(with: url, of: host, line)
            // The ordinary download tries again, and reports the reason.
            if line.wasUseless, !Task.isCancelled { close(host) }
        }
        if let refusal = line.refusal {
            // Another request may fail because of the pause as soon as it is reported.
            if case .busy(let status, let seconds?) = refusal {
                answered.notePause(host, status: status, seconds: seconds, tells: false)
            }
            permit.report(refusal)
        }
    }

    /// The number of seconds to wait for the body of a response.
    private static let patienceSeconds = 3.0

    private func exchange(over stream: FastPathStream, _ permit: ConnectionPermit) async {
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = stream
            return state.lastStream
        }
        try? await stream.run(on: engine)
        state.withLock { $0.streams[number] = nil }
        if !stream.isShared { permit.answered(isShared: false) }
    }

    /// Notifies the connections that had no request that there are requests again.
    private func wake() {
        engine.wake()
        for stream in state.withLock({ Array($0.streams.values) }) { stream.resume(on: engine) }
    }

    /// Sends no more requests to a host. Its files leave the fast path.
    func close(_ host: String) {
        let files = state.withLock { state in
            state.closed.insert(host)
            return state.takePending(of: host)
        }
        leave(files)
    }

    func leave(_ files: [FastPathFile]) {
        guard !files.isEmpty else { return }
        state.withLock { $0.left += files.count }
        for (batch, files) in files.byBatch(of: \.self) { batch.leave(files.map(\.entry)) }
    }

    // MARK: The end of a file

    /// Called on the disk thread.
    private func stored(_ files: [(FastPathStore.Item, FastPathStore.End)]) {
        for (item, end) in files where end.result == nil && !item.wasAlone {
            pipelinesNoMore(item.file.host)
        }
        end(files)
    }

    /// Ends files that were being stored, or makes them leave the fast path.
    func end(_ files: [(FastPathStore.Item, FastPathStore.End)]) {
        guard !files.isEmpty else { return }
        let wakes = state.withLock { state in
            state.storing -= files.count
            defer { state.isIdle = false }
            return state.isIdle
        }
        if wakes { wake() }
        for (batch, files) in files.byBatch(of: { $0.0.file }) {
            batch.end(files.compactMap { item, end in end.result.map { End(item, $0) } })
        }
        leave(files.filter { $0.1.result == nil }.map { $0.0.file })
    }

    /// Ends the downloads of a cancelled run. Downloads whose requests were sent are cancelled; the others
    /// have not started.
    private func endRest() {
        let (sent, pending, undecided) = state.withLock { state in
            defer { (state.sent, state.undecided) = ([:], []) }
            let pending = state.hosts.keys.flatMap { state.takePending(of: $0) }
            return (Array(state.sent.values), pending, Array(state.undecided))
        }
        end(undecided.map { ($0, .failed(CancellationError())) })
        for (batch, files) in sent.byBatch(of: \.self) {
            batch.end(
                files.map { file in
                    End(
                        id: file.id, request: file.request, result: .failure(CancellationError()),
                        progress: DownloadProgress(state: .cancelled, name: file.path.lastComponent?.string))
                })
        }
        for (batch, files) in pending.byBatch(of: \.self) { batch.drop(files.count) }
    }
}

extension Array {
    /// Returns the elements of each batch, in order.
    fileprivate func byBatch(of file: (Element) -> FastPathFile) -> [(FastPathBatch, [Element])] {
        Dictionary(grouping: self) { ObjectIdentifier(file($0).batch) }.values.compactMap { elements in
            elements.first.map { (file($0).batch, elements) }
        }
    }
}
