import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLMirror

/// Thousands of random operations, checked against the guarantees of the caps.
private struct SchedulerModel {
    var state: SchedulerState
    var random: SplitMix64
    let seed: UInt64
    var now = 0.0
    var nextID = 0
    var queued: Set<Int> = []
    var active: Set<Int> = []
    var begun: Set<Int> = []
    var waiting: [Int: Request] = [:]
    var granted: [Int: Request] = [:]
    /// The hosts that have answered over a shared connection.
    var sharing: Set<String> = []
    /// Large files that were parked until their turn.
    var parked: Set<Int> = []

    struct Request {
        var file: Int
        var host: String
        var mayShare: Bool
    }

    init(seed: UInt64) {
        self.seed = seed
        random = SplitMix64(seed: seed)
        state = SchedulerState(limits: Limits())
    }

    var comment: Comment { "seed \(seed), time \(now)" }

    mutating func makeID() -> Int {
        nextID += 1
        return nextID
    }

    private var isOverCap: Bool {
        open() > state.limits.connections
            || granted.values.contains { open(to: $0.host) > state.limits.connectionsPerHost }
    }

    private func isStream(_ request: Request) -> Bool { request.mayShare && sharing.contains(request.host) }

    /// The number of connections; a shared connection counts once.
    private func open(to host: String? = nil) -> Int {
        let here = granted.values.filter { host == nil || $0.host == host }
        return here.count { !isStream($0) } + Set(here.filter(isStream).map(\.host)).count
    }

    func held(by file: Int) -> Int { granted.values.count { $0.file == file } }

    mutating func apply(_ actions: [SchedulerState.Action]) {
        for action in actions {
            switch action {
            case .start(let file):
                // A parked large file starts a second time.
                if parked.remove(file) != nil { continue }
                #expect(queued.remove(file) != nil, comment)
                active.insert(file)
                let replaced = min(state.stalledFiles(now: now).count, SchedulerState.mostReplacements)
                let isAutomatic = state.limits.activeFiles == .automatic
                let uncounted = isAutomatic ? replaced + state.files.asking : 0
                #expect(active.count - uncounted <= state.allowedFiles, comment)
            case .grant(let id):
                grant(id)
            case .end(let id):
                Issue.record("ended \(id); \(comment)")
            case .reclaim(let file):
                // A file's only connection is reclaimed only if a smaller cap requires it.
                #expect(held(by: file) > (isOverCap ? 0 : 1), comment)
            }
        }
        #expect(state.openConnections == open(), comment)
        #expect(state.activeFiles == active.count, comment)
    }

    private mutating func grant(_ id: Int) {
        guard let connection = waiting.removeValue(forKey: id) else {
            Issue.record("granted what is not waited for; \(comment)")
            return
        }
        #expect(active.contains(connection.file), comment)
        let isFirst = held(by: connection.file) == 0 && !begun.contains(connection.file)
        let before = open()
        granted[id] = connection
        begun.insert(connection.file)
        let streams = granted.values.count { $0.host == connection.host && isStream($0) }
        if isStream(connection) { #expect(streams <= state.limits.requestsPerHost, comment) }
        guard open() > before else { return }
        #expect(open() <= state.limits.connections, comment)
        #expect(open(to: connection.host) <= state.limits.connectionsPerHost, comment)
        // The remaining connections suffice for files that have had none yet and could use one.
        if !isFirst {
            let firsts = active.subtracting(begun).filter { !isStuck($0) }
            #expect(state.limits.connections - open() >= firsts.count, comment)
        }
    }

    /// True if no host that a file requests accepts a further connection now.
    private func isStuck(_ file: Int) -> Bool {
        let asked = waiting.values.filter { $0.file == file }
        return !asked.isEmpty && asked.allSatisfy { state.room(at: $0.host, now: now) < 1 }
    }

    mutating func step() {
        now += .random(in: 0...0.5, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<10: submit()
        case 10..<45: request()
        case 45..<75: releaseAny()
        case 75..<80: if let file = active.sorted().randomElement(using: &random) { withdraw(file) }
        case 80..<82: if let file = queued.sorted().randomElement(using: &random) { withdraw(file) }
        case 82..<85: setLimits()
        case 85..<90: refuse()
        case 90..<93: if let id = granted.keys.sorted().randomElement(using: &random) { state.worked(id) }
        case 93..<95: answer()
        case 95..<97: found()
        case 97:
            if let file = active.sorted().randomElement(using: &random) {
                apply(state.asksOnly(file, now: now))
            }
        default:
            apply(state.tick(now: now))
            checkFigures()
        }
    }

    /// Compares the figures about all files with those of a pass over them.
    private func checkFigures() {
        let files = state.files.all
        let idle = files.filter { now >= ($1.silentSince ?? .infinity) + SchedulerState.stallSeconds }.keys
        let capped = state.waiting.compactMap { state.connections[$0] }
            .filter { now >= state.pausedUntil($0.host) ?? now }.map(\.file)
        let stalled = Set(idle).subtracting(capped)
        let figures = state.stalledFiles(now: now)
        #expect(figures.count == stalled.count { files[$0]?.asksOnly == false }, comment)
        #expect(figures.unconnected == stalled.count { files[$0]?.hasConnected == false }, comment)
        #expect(state.files.unconnected == files.values.count { !$0.hasConnected }, comment)
        #expect(state.files.asking == files.values.count(where: \.asksOnly), comment)
        #expect(state.files.owed == files.values.reduce(0) { $0 + $1.owed }, comment)
        let next = files.values.compactMap(\.silentSince).map { $0 + SchedulerState.stallSeconds }
        #expect(state.files.nextStall(after: now) == next.filter { $0 > now }.min(), comment)
    }

    private mutating func submit() {
        let file = makeID()
        queued.insert(file)
        apply(state.submit(file, priority: .random(in: -2...2, using: &random), now: now))
    }

    private mutating func request() {
        guard let file = active.sorted().randomElement(using: &random) else { return submit() }
        let id = makeID()
        let host = "host\(Int.random(in: 0..<4, using: &random))"
        let mayShare = random.happens(50)
        waiting[id] = Request(file: file, host: host, mayShare: mayShare)
        apply(state.request(id, file: file, host: host, mayShare: mayShare, now: now))
    }

    private mutating func found() {
        guard let file = active.subtracting(parked).sorted().randomElement(using: &random) else { return }
        let (begins, actions) = state.found(
            file, isLarge: random.happens(20), isShared: random.happens(80), now: now)
        if !begins { parked.insert(file) }
        apply(actions)
    }

    /// Two of the hosts share connections.
    private mutating func answer() {
        let asked = granted.filter { $0.value.mayShare }
        guard let id = asked.keys.sorted().randomElement(using: &random), let host = asked[id]?.host else {
            return
        }
        let isShared = host < "host2"
        if isShared { sharing.insert(host) }
        apply(state.answered(id, isShared: isShared, now: now))
    }

    mutating func release(_ id: Int) {
        waiting[id] = nil
        granted[id] = nil
        apply(state.release(id, now: now))
    }

    private mutating func releaseAny() {
        let all = Array(granted.keys) + (random.happens(20) ? Array(waiting.keys) : [])
        if let id = all.sorted().randomElement(using: &random) { release(id) }
    }

    mutating func withdraw(_ file: Int) {
        for id in waiting.filter({ $0.value.file == file }).keys.sorted() { release(id) }
        for id in granted.filter({ $0.value.file == file }).keys.sorted() { release(id) }
        active.remove(file)
        queued.remove(file)
        parked.remove(file)
        apply(state.withdraw(file, now: now))
    }

    private mutating func setLimits() {
        var limits = Limits()
        limits.activeFiles =
            random.happens(40) ? .automatic : .fixed(.random(in: 1...6, using: &random))
        limits.connections = .random(in: 1...12, using: &random)
        limits.connectionsPerHost = .random(in: 1...6, using: &random)
        limits.requestsPerHost = .random(in: 1...20, using: &random)
        limits.queueOrder = random.happens(50) ? .fifo : .lifo
        let old = state.limits
        let isSmaller =
            limits.mostActiveFiles < old.mostActiveFiles || limits.connections < old.connections
            || limits.connectionsPerHost < old.connectionsPerHost
        let actions = state.set(limits, now: now)
        // A cap below the number of held connections must grant nothing: the model checks that at each grant.
        apply(actions)
        if isSmaller, sharing.isEmpty, open() > limits.connections {
            #expect(actions.allSatisfy { !$0.isGrant }, comment)
        }
    }

    private mutating func refuse() {
        guard let id = granted.keys.sorted().randomElement(using: &random) else { return }
        let retryAfter: Double? = random.happens(30) ? .random(in: 0...20, using: &random) : nil
        apply(state.refused(id, retryAfter: retryAfter, now: now))
    }

    /// All held connections are released and files end: every waiting file must be served.
    mutating func drain() {
        var rounds = 0
        while !(queued.isEmpty && active.isEmpty && waiting.isEmpty && granted.isEmpty) {
            rounds += 1
            guard rounds < 100_000 else {
                Issue.record("\(waiting.count) connections and \(queued.count) files starve; \(comment)")
                return
            }
            now += 1
            apply(state.tick(now: now))
            for id in granted.keys.sorted() { release(id) }
            for file in active.sorted() where !waiting.values.contains(where: { $0.file == file }) {
                withdraw(file)
            }
        }
    }
}

extension SchedulerState.Action {
    fileprivate var isGrant: Bool {
        if case .grant = self { true } else { false }
    }
}

@Suite("The scheduler under random operations")
struct SchedulerRandomTests {
    @Test(
        "caps are never exceeded, no file starves, and every permit is returned",
        arguments: 0..<20 as Range<UInt64>)
    func holds(seed: UInt64) {
        var model = SchedulerModel(seed: seed)
        for _ in 0..<2000 { model.step() }
        model.drain()
        #expect(model.state.openConnections == 0, "seed \(seed)")
        #expect(model.state.activeFiles == 0, "seed \(seed)")
        for host in 0..<4 { #expect(model.state.openConnections(to: "host\(host)") == 0, "seed \(seed)") }
        // After everything is released, each requesting file is served at once.
        let started = model.state.submit(-1, priority: 0, now: model.now)
        #expect(started == [.start(-1)], "seed \(seed)")
        let granted = model.state.request(-2, file: -1, host: "fresh", now: model.now)
        #expect(granted == [.grant(-2)], "seed \(seed)")
    }
}
