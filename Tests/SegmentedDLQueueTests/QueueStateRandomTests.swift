import Foundation
import SegmentedDLSupport
import SystemPackage
import TestSupport
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

/// Random verbs on many downloads, with a manual clock, a dictionary as engine, and a store that lags by a
/// random number of changes.
@Suite("A queue under random operations")
struct QueueStateRandomTests {
    /// The stored records: all that a queue can read once it has evicted a record.
    private final class Store: RecordSource {
        let records = Lock<[Receipt.ID: QueueRecord]>([:])
        private let failures = Lock(0)

        func records(_ ids: [Receipt.ID]) -> [QueueRecord] {
            let found = records.withLock { records in ids.compactMap { records[$0] } }
            if found.count < ids.count { failures.withLock { $0 += 1 } }
            return found
        }

        func refuse(_ id: Receipt.ID) {
            failures.withLock { $0 += 1 }
        }

        var hasFailed: Bool { failures.withLock { $0 > 0 } }
    }

    /// The commands given to the queue, whose results are checked.
    private struct World {
        var state: QueueState
        var now = Date(timeIntervalSince1970: 0)
        var random: SplitMix64
        /// The running downloads, and whether they were told to stop.
        var runs: [Receipt.ID: (number: Int, isStopping: Bool)] = [:]
        /// Those of them that are in batches, and of these the ones about which closures decide.
        var batched: Set<Receipt.ID> = []
        var asked: Set<Receipt.ID> = []
        var states: [Receipt.ID: DownloadState] = [:]
        /// The records reported as stored.
        var saved: [Receipt.ID: QueueRecord] = [:]
        /// Changes on their way to the store, and how many preceded them.
        var changes: [(id: Receipt.ID, record: QueueRecord?)] = []
        var stored = 0
        let store = Store()
        /// The last verb for each download.
        var last: [Receipt.ID: Verb] = [:]
        var problems: [String] = []

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            var limits = Limits()
            limits.activeFiles = 3
            limits.queueOrder = seed.isMultiple(of: 2) ? .fifo : .lifo
            var retry = RetryPolicy()
            retry.retries = 2
            retry.delay = .seconds(5)
            state = QueueState(
                limits: limits, retry: retry, asksOfEach: seed % 6 > 2, source: store, heldRecords: 4)
            if seed % 3 > 0 { state.acceptsInBatch = { $0.request.priority == 0 } }
        }
    }

    private enum Verb: CaseIterable {
        case pause, resume, start, cancel, remove, restart, addAgain, front, back, before, priority, source
    }

    @Test("no illegal step, no cap exceeded, and each ends as its last operation requires", arguments: 0..<24)
    func random(seed: UInt64) {
        var world = World(seed: seed)
        for step in 0..<2_000 {
            switch world.random.next() % 10 {
            // Few downloads: each of them receives more verbs, and comparing all of them with the store is
            // cheap.
            case 0 where world.states.count < 24: add(&world)
            case 0: say(&world)
            case 1...3: say(&world)
            case 4...7: move(&world)
            case 8: pass(&world)
            default: limit(&world)
            }
            check(&world)
            if step.isMultiple(of: 3) { compare(&world) }
            guard world.problems.isEmpty else { break }
        }
        compare(&world)
        endRuns(&world)
        compare(&world)
        #expect(world.problems.isEmpty, "seed \(seed): \(world.problems.prefix(3))")
    }

    @Test("an unreadable record that waits for a retry ends the queue instead of being retried forever")
    func retryGone() throws {
        let store = Store()
        let now = Date(timeIntervalSince1970: 0)
        var state = QueueState(limits: Limits(), source: store, heldRecords: 0)
        let id = state.makeID()
        var record = QueueRecord(
            id: id, source: try Source("http://host/1"), destination: .directory("/d"), added: now)
        record.state = .retrying
        record.retriesAt = now + 5
        _ = state.restore(record, from: record, policy: .resume)
        #expect(state.reschedule(now: now + 4) == [])
        #expect(!state.isIdle)
        #expect(state.nextRetry == now + 5)
        // Another program has deleted the row.
        #expect(state.reschedule(now: now + 5) == [])
        #expect(store.hasFailed)
        #expect(state.isIdle)
    }

    // MARK: What happens

    private func add(_ world: inout World) {
        let id = world.state.makeID()
        guard let source = try? Source("http://host/\(id)") else { return }
        var record = QueueRecord(
            id: id, source: source, destination: .directory("/d"), priority: Int(world.random.next() % 3),
            added: world.now)
        if world.random.next() % 5 == 0 { record.state = .paused }
        world.states[id] = record.state
        if record.state == .paused { world.last[id] = .pause }
        perform(world.state.add(record), &world)
        world.state.admit([id])
        perform(world.state.reschedule(now: world.now), &world)
    }

    private func say(_ world: inout World) {
        guard let id = anyone(&world) else { return }
        let verb = Verb.allCases[Int(world.random.next() % UInt64(Verb.allCases.count))]
        let now = world.now
        let before = world.state
        let actions: [QueueState.Action]
        switch verb {
        case .pause: actions = world.state.pause(id)
        case .resume: actions = world.state.resume(id)
        case .start: actions = world.state.start(id)
        case .cancel: actions = world.state.cancel(id, now: now)
        case .remove: actions = world.state.remove(id, withFiles: false)
        case .restart: actions = world.state.restart(id)
        case .addAgain: actions = world.state.addAgain(id)
        case .front: actions = world.state.move(id, to: .front)
        case .back: actions = world.state.move(id, to: .back)
        case .before:
            guard let other = anyone(&world) else { return }
            actions = world.state.move(id, to: .before(other))
        case .priority:
            actions = world.state.setPriority(Int(world.random.next() % 3), of: id)
        case .source:
            guard let source = try? Source("http://host/other/\(world.random.next())") else { return }
            actions = (try? world.state.setSource(source, of: id)) ?? []
        }
        if saysSomething(verb, id, before: before, &world) { world.last[id] = verb }
        perform(actions, &world)
        perform(world.state.reschedule(now: world.now), &world)
    }

    /// Pausing an ended download, or resuming one that is not paused, has no effect.
    private func saysSomething(
        _ verb: Verb, _ id: Receipt.ID, before: QueueState, _ world: inout World
    ) -> Bool {
        let hasEnded = world.states[id]?.isFinal == true && !before.isRunning(id)
        switch verb {
        case .pause: return !hasEnded
        case .cancel: return world.states[id] != .completed
        case .resume: return world.states[id] == .paused || before.intent(of: id) == .pause
        case .start:
            return world.states[id] != .completed && !(before.isRunning(id) && !before.isStopping(id))
        case .remove, .restart: return true
        case .addAgain:
            return (world.states[id] == .completed || world.states[id] == .failed) && !before.isRunning(id)
        case .front, .back, .before, .priority: return false
        // A new link for a failed download also starts it; for any other it changes nothing.
        case .source: return world.states[id] == .failed
        }
    }

    /// Advances one run.
    private func move(_ world: inout World) {
        let runs = world.runs.sorted { $0.key < $1.key }
        guard !runs.isEmpty else { return }
        let (id, run) = runs[Int(world.random.next() % UInt64(runs.count))]
        if world.asked.contains(id) { return answer(id, run, &world) }
        if world.batched.contains(id) { return endBatched(id, run, &world) }
        let state = world.states[id] ?? .queued
        let next: [DownloadState] = [.probing, .downloading, .verifying, .finalizing]
        if world.random.next() % 2 == 0, let index = next.firstIndex(of: state), index < 3 {
            let actions = world.state.entered(next[index + 1], id, run: run.number)
            return perform(actions, &world)
        }
        end(id, run, &world)
    }

    /// The closures decide about a file.
    private func answer(
        _ id: Receipt.ID, _ run: (number: Int, isStopping: Bool), _ world: inout World
    ) {
        world.asked.remove(id)
        if run.isStopping {
            world.runs[id] = nil
            world.batched.remove(id)
            perform(
                world.state.ended(id, run: run.number, .stopped, now: world.now, jitter: 0.5), &world)
        } else if world.random.next() % 3 == 0 {
            world.batched.remove(id)
            perform(world.state.beginAlone(id, run: run.number, now: world.now), &world)
        } else {
            world.state.joinBatch(id)
            perform(world.state.reschedule(now: world.now), &world)
        }
    }

    private func endBatched(
        _ id: Receipt.ID, _ run: (number: Int, isStopping: Bool), _ world: inout World
    ) {
        let outcome: QueueState.Outcome
        switch world.random.next() % 3 {
        case 0:
            complete(id, run.number, &world)
            outcome = .completed(nil, length: 5)
            if world.last[id] != .restart, world.last[id] != .remove { world.last[id] = nil }
        case 1:
            perform(world.state.step(id, run: run.number, through: [], began: world.now), &world)
            outcome = .failed(DownloadError(.timedOut, "", isRetryable: true))
        default:
            if !run.isStopping { world.state.leaveBatch(id) }
            outcome = .stopped
        }
        world.runs[id] = nil
        world.batched.remove(id)
        perform(
            world.state.ended(id, run: run.number, outcome, now: world.now, jitter: 0.5), &world)
    }

    /// Performs the steps of a complete file in a batch, except the last one.
    private func complete(_ id: Receipt.ID, _ run: Int, _ world: inout World) {
        let steps: [DownloadState] = [.downloading, .finalizing]
        perform(world.state.step(id, run: run, through: steps, began: world.now), &world)
    }

    private func end(_ id: Receipt.ID, _ run: (number: Int, isStopping: Bool), _ world: inout World) {
        let outcome: QueueState.Outcome
        switch world.random.next() % 4 {
        // Only a file that is being finalized can be complete.
        case 0 where world.states[id] == .finalizing: outcome = .completed(nil, length: 5)
        case 1:
            outcome = .failed(DownloadError(.timedOut, "", isRetryable: world.random.next() % 2 == 0))
        default:
            guard run.isStopping else { return }
            outcome = .stopped
        }
        world.runs[id] = nil
        if case .completed = outcome, world.last[id] != .restart, world.last[id] != .remove {
            world.last[id] = nil
        }
        let actions = world.state.ended(id, run: run.number, outcome, now: world.now, jitter: 0.5)
        perform(actions, &world)
    }

    private func pass(_ world: inout World) {
        world.now += Double(world.random.next() % 8)
        let actions = world.state.reschedule(now: world.now)
        perform(actions, &world)
    }

    private func limit(_ world: inout World) {
        var limits = world.state.limits
        limits.activeFiles = .fixed(Int(world.random.next() % 5) + 1)
        world.state.setLimits(limits)
        perform(world.state.reschedule(now: world.now), &world)
    }

    private func anyone(_ world: inout World) -> Receipt.ID? {
        let ids = world.states.keys.sorted()
        return ids.isEmpty ? nil : ids[Int(world.random.next() % UInt64(ids.count))]
    }

    // MARK: What has to hold

    private func perform(_ actions: [QueueState.Action], _ world: inout World) {
        for action in actions {
            switch action {
            case .begin(let id, let run):
                if world.runs[id] != nil { world.problems.append("\(id) runs twice") }
                world.runs[id] = (run, false)
                if world.state.isAsked(id) {
                    world.asked.insert(id)
                    world.batched.insert(id)
                }
                // Stopping runs hold their places until they have stopped.
                let alone = world.runs.filter {
                    !world.batched.contains($0.key) || world.asked.contains($0.key)
                }
                let cap = max(world.state.limits.mostActiveFiles, alone.values.count { $0.isStopping })
                if alone.count > cap { world.problems.append("\(alone.count) run, of \(cap)") }
            case .beginBatch(let ids, let first):
                for (run, id) in zip(first..., ids) {
                    if world.runs[id] != nil { world.problems.append("\(id) runs twice") }
                    world.runs[id] = (run, false)
                    world.batched.insert(id)
                }
            case .stop(let id):
                if world.runs[id]?.isStopping != false {
                    world.problems.append("\(id) is stopped without effect")
                }
                world.runs[id]?.isStopping = true
            case .save(let id):
                world.saved[id] = world.state.records[id]
                world.changes.append((id, world.saved[id]))
                world.state.markSubmitted(id, as: world.stored + world.changes.count)
            case .erase(let record, _):
                world.saved[record.id] = nil
                world.changes.append((record.id, nil))
                world.states[record.id] = nil
            case .added, .held, .updated, .reordered: break
            case .changed(let id, let before, let after):
                if world.states[id] != before || !before.successors.contains(after) {
                    world.problems.append("\(id): \(before) -> \(after), was \(world.states[id] as Any)")
                }
                world.states[id] = after
            }
        }
    }

    private func check(_ world: inout World) {
        let alone = world.runs.filter { !world.batched.contains($0.key) }
        let staying = alone.values.count { !$0.isStopping }
        if staying > world.state.limits.mostActiveFiles { world.problems.append("\(staying) are to run") }
        store(&world)
        for id in alone.keys where world.states[id]?.isActive != true {
            world.problems.append("\(id) runs in state \(world.states[id] as Any)")
        }
        for id in world.batched where world.states[id] != .queued {
            world.problems.append("\(id) is in a batch in state \(world.states[id] as Any)")
        }
        if Set(world.state.batched.values) != world.batched { world.problems.append("wrong batches") }
        // No download waits while a place is free.
        let waits = world.states.contains { $0.value == .queued && !world.batched.contains($0.key) }
        if world.runs.count < world.state.limits.mostActiveFiles, waits {
            world.problems.append("one waits without need")
        }
    }

    /// Compares the queue's records, including evicted ones, with what it asked the store to save.
    private func compare(_ world: inout World) {
        var records: [Receipt.ID: QueueRecord] = [:]
        var totals = QueueTotals()
        world.state.records.forEach(world.state.records.ids) { record in
            records[record.id] = record
            totals.add(record)
        }
        if world.saved != records { world.problems.append("the store differs") }
        if world.state.records.totals != totals { world.problems.append("the sums are wrong") }
        for (id, state) in world.states where world.state.records.state(of: id) != state {
            world.problems.append("\(id): no event of its state")
        }
        let ranks = Set(world.state.records.ranks)
        if ranks.count != world.state.records.count { world.problems.append("two have one place") }
    }

    /// Some of the pending changes arrive, and the queue evicts what it can.
    private func store(_ world: inout World) {
        let count = Int(world.random.next() % UInt64(world.changes.count + 1))
        let arrived = world.changes.prefix(count)
        world.store.records.withLock { records in
            for change in arrived { records[change.id] = change.record }
        }
        world.stored += count
        world.changes.removeFirst(count)
        world.state.trim(stored: world.stored)
    }

    /// All runs end, and each download has the state that its caller requested.
    private func endRuns(_ world: inout World) {
        for _ in 0..<100_000 where world.problems.isEmpty {
            if let (id, run) = world.runs.min(by: { $0.key < $1.key }) {
                world.runs[id] = nil
                if world.asked.remove(id) != nil, !run.isStopping { world.state.joinBatch(id) }
                if world.batched.remove(id) != nil, !run.isStopping { complete(id, run.number, &world) }
                let outcome: QueueState.Outcome =
                    run.isStopping ? .stopped : .completed(nil, length: 5)
                if !run.isStopping {
                    let entered = world.state.entered(.finalizing, id, run: run.number)
                    perform(entered, &world)
                    world.last[id] = nil
                }
                perform(
                    world.state.ended(id, run: run.number, outcome, now: world.now, jitter: 0.5), &world)
            } else if let due = world.state.nextRetry {
                world.now = max(world.now, due)
                perform(world.state.reschedule(now: world.now), &world)
            } else {
                break
            }
            check(&world)
        }
        if !world.state.isIdle { world.problems.append("it does not end") }
        for (id, state) in world.states {
            let isWhereItBelongs =
                switch world.last[id] {
                case .pause: state == .paused
                case .cancel: state == .cancelled
                case .remove: false
                default: state == .completed || state == .failed
                }
            if !isWhereItBelongs { world.problems.append("\(id): \(state) after \(world.last[id] as Any)") }
        }
    }
}
