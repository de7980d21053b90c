import Foundation
import SegmentedDLSupport
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

/// The decisions about small files that are fetched in batches.
@Suite("Batches of small files in a queue")
struct QueueBatchTests {
    private let now = Date(timeIntervalSince1970: 0)

    /// A queue that runs one download at a time.
    private func queue(asksFirst: Bool = false, asksOfEach: Bool = false, places: Int = 1) -> QueueState {
        var limits = Limits()
        limits.activeFiles = .fixed(places)
        var queue = QueueState(limits: limits, asksFirst: asksFirst, asksOfEach: asksOfEach)
        queue.acceptsInBatch = { $0.request.priority == 0 }
        return queue
    }

    private func add(
        _ count: Int, to queue: inout QueueState, _ edit: (inout QueueRecord) -> Void = { _ in }
    ) throws -> [Receipt.ID] {
        var ids: [Receipt.ID] = []
        for _ in 0..<count {
            let id = queue.makeID()
            var record = QueueRecord(
                id: id, source: try Source("http://host/f\(id)"), destination: .directory("/d"), added: now)
            edit(&record)
            _ = queue.add(record)
            ids.append(id)
        }
        queue.admit(ids)
        return ids
    }

    /// The downloads of each batch in these actions.
    private func batches(_ actions: [QueueState.Action]) -> [[Receipt.ID]] {
        actions.compactMap { if case .beginBatch(let ids, _) = $0 { ids } else { nil } }
    }

    @Test("contain the first downloads in order, and do not count as active ones")
    func order() throws {
        var queue = queue()
        let ids = try add(150, to: &queue)
        let large = try add(1, to: &queue) { $0.onComplete = "action" }
        let actions = queue.reschedule(now: now)
        #expect(batches(actions).map(\.count) == [32, 32, 32, 32])
        #expect(batches(actions).flatMap(\.self) == Array(ids[..<128]))
        #expect(actions == actions.filter { $0.begins })
        #expect(queue.running == [] && queue.activeRuns == 128)
        #expect(queue.records.ids(in: .queued).count == 151)
        // Nothing begins until most of a batch has ended, because it would overtake waiting files.
        for (run, id) in zip(1..., ids[..<31]) {
            let ended = queue.ended(id, run: run, .stopped, now: now, jitter: 0)
            #expect(batches(ended) == [])
            _ = queue.cancel(id, now: now)
        }
        let last = queue.ended(ids[31], run: 32, .stopped, now: now, jitter: 0)
        #expect(batches(last) == [[ids[31]] + ids[128...]])
        // It could hold its place for hours.
        #expect(queue.running == [])
        let rest = Array(zip(33...128, ids[32..<128])) + Array(zip(129..., [ids[31]] + ids[128...]))
        for (run, id) in rest {
            #expect(queue.running == [])
            _ = queue.ended(id, run: run, .completed(nil, length: 1), now: now, jitter: 0)
        }
        #expect(queue.running == large)
    }

    @Test("a download that goes first does not wait for batches, and none begin without a free place")
    func first() throws {
        var queue = queue(places: 2)
        let small = try add(40, to: &queue)
        let other = try add(3, to: &queue) { $0.onComplete = "action" }
        let urgent = try add(2, to: &queue) { $0.request.priority = 1 }
        let begun = queue.reschedule(now: now)
        #expect(batches(begun) == [] && queue.running == urgent)
        let next = queue.ended(urgent[0], run: 1, .completed(nil, length: 1), now: now, jitter: 0)
        #expect(batches(next) == [Array(small[..<32]), Array(small[32...])])
        #expect(queue.running == [urgent[1]])
        _ = queue.ended(urgent[1], run: 2, .completed(nil, length: 1), now: now, jitter: 0)
        #expect(queue.running == [])
        _ = queue.move(other[2], to: .front)
        _ = queue.setPriority(1, of: other[1])
        _ = queue.reschedule(now: now)
        #expect(queue.running == [other[1], other[2]])
    }

    @Test(
        "contain no download that has begun, that something follows, or that the downloader refuses",
        arguments: 0..<10)
    func plain(number: Int) throws {
        let edits: [(inout QueueRecord) -> Void] = [
            { $0.attempts = 1 }, { $0.failures = 1 }, { $0.path = "/d/x" },
            { $0.part = DownloadPaths("/d/x") }, { $0.startsOver = true }, { $0.isAddedAgain = true },
            { $0.onComplete = "action" }, { $0.request.priority = 1 },
            { $0.identity = FileIdentity(inode: 1, size: 1, modified: 1) },
            { $0.replaces = FileIdentity(inode: 1, size: 1, modified: 1) },
        ]
        var queue = queue()
        let ids = try add(8, to: &queue)
        _ = try add(8, to: &queue, edits[number])
        let actions = queue.reschedule(now: now)
        #expect(batches(actions) == (number == 7 ? [] : [ids]))
        #expect(queue.running.count == (number == 7 ? 1 : 0))
    }

    @Test("do not exist for a few files, or without a fast path")
    func without() throws {
        var few = queue()
        _ = try add(7, to: &few)
        var without = queue()
        without.acceptsInBatch = nil
        _ = try add(50, to: &without)
        let actions = [few.reschedule(now: now), without.reschedule(now: now)]
        #expect(actions.flatMap(batches) == [])
        #expect([few, without].map(\.running.count) == [1, 1])
    }

    @Test("a download that leaves its batch begins alone, within the cap, at its position")
    func leaves() throws {
        var queue = queue()
        let ids = try add(20, to: &queue)
        _ = queue.reschedule(now: now)
        queue.leaveBatch(ids[3])
        queue.leaveBatch(ids[5])
        let first = queue.ended(ids[3], run: 4, .stopped, now: now, jitter: 0)
        #expect(first.contains(.begin(ids[3], run: 21)))
        let second = queue.ended(ids[5], run: 6, .stopped, now: now, jitter: 0)
        #expect(!second.contains { $0.begins })
        #expect(queue.running == [ids[3]] && queue.records.state(of: ids[5]) == .queued)
    }

    @Test("a path in a batch belongs to its download until it leaves")
    func paths() throws {
        var queue = queue()
        let ids = try add(10, to: &queue)
        let other = try add(1, to: &queue) { record in
            record.request.destination = .directory("/e")
            record.attempts = 1
        }[0]
        _ = queue.reschedule(now: now)
        let path = FilePath("/d/f\(ids[0])")
        let taken = queue.claim(path, for: other)
        #expect(taken == nil)
        let copy = queue
        #expect(throws: DownloadError.self) { try copy.checkIsFree(.file(path), for: other) }
        #expect(queue.records[ids[0]]?.path == nil)
        queue.leaveBatch(ids[0])
        _ = queue.ended(ids[0], run: 1, .stopped, now: now, jitter: 0)
        let free = queue.claim(path, for: other)
        #expect(free != nil)
    }

    @Test("two downloads with one name are not in batches at the same time")
    func names() throws {
        var queue = queue()
        let ids = try add(9, to: &queue)
        let twin = queue.makeID()
        _ = queue.add(
            QueueRecord(
                id: twin, source: try Source("http://other/f\(ids[0])"), destination: .directory("/d"),
                added: now))
        queue.admit([twin])
        let actions = queue.reschedule(now: now)
        #expect(batches(actions) == [ids] && queue.running == [])
        for (run, id) in zip(1..., ids) {
            let path = FilePath("/d/f\(id)")
            _ = queue.ended(id, run: run, .completed(path, length: 1), now: now, jitter: 0)
        }
        #expect(queue.running == [twin])
    }

    @Test("a complete file has its path and identity before its name, and the usual steps")
    func complete() throws {
        var queue = queue()
        let id = try add(8, to: &queue)[0]
        _ = queue.reschedule(now: now)
        let identity = FileIdentity(inode: 2, size: 3, modified: 4)
        let named = queue.willName(id, as: identity, run: 1)
        #expect(named == [.save(id), .save(id)])
        let record = try #require(queue.records[id])
        #expect(record.state == .queued && record.path == "/d/f1" && record.identity == identity)
        let late = queue.willName(id, as: identity, run: 100)
        #expect(late == [])
        let steps = queue.step(id, run: 1, through: [.downloading, .finalizing], began: now - 2)
        let end = queue.ended(id, run: 1, .completed("/d/f1", length: 3), now: now, jitter: 0)
        let states = (steps + end).compactMap {
            if case .changed(id, _, let state) = $0 { state } else { nil }
        }
        #expect(states == [.probing, .downloading, .finalizing, .completed])
        let receipt = Receipt(try #require(queue.records[id]))
        #expect(receipt.attempts == 1 && receipt.bytesCompleted == 3 && receipt.duration == .seconds(2))
    }

    @Test("a file that returns to the queue has no time of a run, and begins together with the others")
    func returns() throws {
        var queue = queue()
        let ids = try add(20, to: &queue)
        _ = queue.reschedule(now: now)
        for (run, id) in zip(1..., ids) {
            let ended = queue.ended(id, run: run, .stopped, now: now + 60, jitter: 0, reschedules: false)
            #expect(ended == [])
        }
        #expect(ids.allSatisfy { queue.records[$0]?.seconds == 0 })
        #expect(batches(queue.reschedule(now: now + 60)) == [ids])
    }

    @Test("a file with another position or priority leaves its batch, and begins at its place")
    func reordered() throws {
        var queue = queue()
        let ids = try add(20, to: &queue)
        _ = queue.reschedule(now: now)
        let moved = queue.move(ids[0], to: .back)
        #expect(moved.contains(.stop(ids[0])))
        let urgent = queue.setPriority(1, of: ids[9])
        #expect(urgent.contains(.stop(ids[9])))
        let same = queue.setPriority(0, of: ids[5])
        #expect(same == [])
        _ = queue.pause(ids[3])
        let paused = queue.move(ids[3], to: .front)
        #expect(!paused.contains(.stop(ids[3])) && queue.intent(of: ids[3]) == .pause)
        let back = queue.ended(ids[0], run: 1, .stopped, now: now, jitter: 0)
        #expect(batches(back) == [[ids[0]]])
        let first = queue.ended(ids[9], run: 10, .stopped, now: now, jitter: 0)
        #expect(first.contains(.begin(ids[9], run: 22)))
    }

    /// A change of a download that is in a batch.
    enum Change: CaseIterable {
        case source, destination, length, move, priority, pause

        /// True if the file is still the one that its download asks for.
        var keepsFile: Bool { self == .priority || self == .pause }
    }

    @Test("a file receives no name if its download was changed after the request", arguments: Change.allCases)
    func changed(change: Change) throws {
        var queue = queue()
        let id = try add(8, to: &queue)[1]
        _ = queue.reschedule(now: now)
        var record = try #require(queue.records[id])
        let request = record.request
        #expect(queue.mayName(id, requestedWith: request))
        switch change {
        case .source: _ = try queue.setSource(Source("http://host/other"), of: id)
        case .destination: record.request.destination = .directory("/e")
        case .length: record.request.expectedLength = 5
        case .move: _ = queue.beginMove([id])
        case .priority: _ = queue.setPriority(3, of: id)
        case .pause: _ = queue.pause(id)
        }
        if record.request != request { _ = try queue.change(id, to: record) }
        // The last operation does not hide an earlier one.
        _ = queue.pause(id)
        #expect(queue.mayName(id, requestedWith: request) == change.keepsFile)
    }

    @Test("the destination of a file in a batch can be changed until it is about to receive its name")
    func destination() throws {
        var queue = queue()
        let id = try add(8, to: &queue)[1]
        _ = queue.reschedule(now: now)
        var record = try #require(queue.records[id])
        record.request.destination = .directory("/e")
        let actions = try queue.change(id, to: record)
        #expect(actions.contains(.stop(id)))
        record.request.destination = .directory("/g")
        let identity = FileIdentity(inode: 2, size: 3, modified: 4)
        _ = queue.willName(id, as: identity, run: 2)
        let (later, other) = (queue, record)
        #expect(throws: DownloadError.self) {
            var copy = later
            _ = try copy.change(id, to: other)
        }
    }

    // MARK: Closures that decide about each file

    private func begun(_ actions: [QueueState.Action]) -> [Receipt.ID] {
        actions.compactMap { if case .begin(let id, _) = $0 { id } else { nil } }
    }

    @Test(
        "a file takes a place while closures decide about it, until it joins its batch or begins alone there")
    func asked() throws {
        var queue = queue(asksOfEach: true, places: 2)
        let ids = try add(20, to: &queue)
        let first = queue.reschedule(now: now)
        #expect(first == [.begin(ids[0], run: 1), .begin(ids[1], run: 2)])
        #expect(ids[..<2].allSatisfy { queue.isAsked($0) && queue.isBatched($0) })
        #expect(queue.running == [] && queue.records.ids(in: .queued).count == 20)
        queue.joinBatch(ids[0])
        let second = queue.reschedule(now: now)
        #expect(second == [.begin(ids[2], run: 3)] && !queue.isAsked(ids[0]) && queue.isBatched(ids[0]))
        let alone = queue.beginAlone(ids[1], run: 2, now: now)
        #expect(alone.contains(.changed(ids[1], from: .queued, to: .probing)))
        #expect(queue.running == [ids[1]] && queue.records[ids[1]]?.attempts == 1)
        let third = queue.reschedule(now: now)
        #expect(third == [])
        queue.joinBatch(ids[2])
        let last = queue.reschedule(now: now)
        #expect(begun(last) == [ids[3]])
        let late = queue.beginAlone(ids[3], run: 2, now: now)
        #expect(late == [] && queue.isAsked(ids[3]))
    }

    @Test(
        "closures decide about no more files than batches have room for, and about none without a free place")
    func mostAsked() throws {
        var queue = queue(asksOfEach: true, places: 200)
        let ids = try add(150, to: &queue)
        let all = queue.reschedule(now: now)
        #expect(begun(all) == Array(ids[..<97]))
        var full = self.queue(asksOfEach: true)
        let large = try add(1, to: &full) { $0.onComplete = "action" }
        let small = try add(20, to: &full)
        let actions = full.reschedule(now: now)
        #expect(begun(actions) == large && full.activeRuns == 1)
        let next = full.ended(large[0], run: 1, .completed(nil, length: 1), now: now, jitter: 0)
        #expect(begun(next) == [small[0]])
    }

    @Test("a cap that was lowered meanwhile also applies to a file that then begins alone")
    func loweredCap() throws {
        var queue = queue(asksOfEach: true, places: 2)
        let ids = try add(20, to: &queue)
        _ = queue.reschedule(now: now)
        var limits = queue.limits
        limits.activeFiles = .fixed(1)
        queue.setLimits(limits)
        let first = queue.beginAlone(ids[0], run: 1, now: now)
        let second = queue.beginAlone(ids[1], run: 2, now: now)
        #expect(!first.contains(.stop(ids[0])) && second.contains(.stop(ids[1])))
    }

    @Test(
        "a file that must wait, or whose closure fails, takes part in no batch, and the next one has its place"
    )
    func refused() throws {
        var queue = queue(asksOfEach: true)
        let ids = try add(20, to: &queue)
        _ = queue.reschedule(now: now)
        let hold = Receipt.Hold(.gate, message: "", until: now + 60)
        let held = queue.ended(ids[0], run: 1, .held(hold), now: now, jitter: 0)
        #expect(held == [.held(ids[0]), .begin(ids[1], run: 2)])
        let error = DownloadError(.closureFailed, "")
        let failed = queue.ended(ids[1], run: 2, .failed(error), now: now, jitter: 0)
        #expect(begun(failed) == [ids[2]])
        #expect(queue.records.state(of: ids[1]) == .failed && queue.records[ids[1]]?.attempts == 0)
        let paused = queue.pause(ids[2])
        #expect(paused == [.stop(ids[2])])
        let ended = queue.ended(ids[2], run: 3, .stopped, now: now, jitter: 0)
        #expect(begun(ended) == [ids[3]] && queue.records.state(of: ids[2]) == .paused)
        let due = queue.reschedule(now: now + 61)
        #expect(!due.contains { $0.begins })
        let next = queue.ended(ids[3], run: 4, .stopped, now: now + 61, jitter: 0)
        #expect(begun(next) == [ids[0]])
    }

    /// Otherwise a caller that lets one download begin at a time would have the same file requested in a
    /// batch, again and again.
    @Test("a file that left its batch, and must wait before it begins alone, does not enter another batch")
    func heldAlone() throws {
        var queue = queue(asksFirst: true)
        let ids = try add(20, to: &queue)
        _ = queue.reschedule(now: now)
        queue.joinBatch(ids[0])
        queue.leaveBatch(ids[0])
        let left = queue.ended(ids[0], run: 1, .stopped, now: now, jitter: 0)
        #expect(left == [.begin(ids[0], run: 2)] && !queue.isAsked(ids[0]))
        let hold = Receipt.Hold(.gate, message: "", until: now + 60)
        let held = queue.ended(ids[0], run: 2, .held(hold), now: now, jitter: 0)
        #expect(held == [.held(ids[0]), .begin(ids[1], run: 3)])
        _ = queue.reschedule(now: now + 61)
        let again = queue.ended(ids[1], run: 3, .stopped, now: now + 61, jitter: 0)
        #expect(again == [.begin(ids[0], run: 4)] && !queue.isAsked(ids[0]))
        #expect(queue.mustBeAlone(ids[0]))
        _ = queue.passedGate(ids[0], run: 4, now: now + 62)
        #expect(queue.running == [ids[0]] && !queue.mustBeAlone(ids[0]))
    }

    @Test(
        "another path is reserved for a file if no other download has it, and the expected one is then free")
    func reserves() throws {
        var queue = queue()
        let ids = try add(10, to: &queue)
        _ = queue.reschedule(now: now)
        let taken = queue.reserve(FilePath("/d/f\(ids[1])"), for: ids[0], run: 1)
        let late = queue.reserve("/d/other", for: ids[0], run: 100)
        #expect(!taken && !late)
        let isReserved = queue.reserve("/d/other", for: ids[0], run: 1)
        #expect(isReserved && queue.owner(of: "/d/other")?.id == ids[0])
        #expect(queue.owner(of: FilePath("/d/f\(ids[0])")) == nil && queue.activeRuns == 10)
        _ = queue.willName(ids[0], as: FileIdentity(inode: 2, size: 3, modified: 4), run: 1)
        #expect(queue.records[ids[0]]?.path == "/d/other")
        _ = queue.ended(ids[0], run: 1, .completed("/d/other", length: 3), now: now, jitter: 0)
        #expect(queue.batched.count == 9)
    }

    @Test("a complete file that a closure still follows is running, and keeps its run at another position")
    func followed() throws {
        var queue = queue()
        let ids = try add(10, to: &queue)
        _ = queue.reschedule(now: now)
        _ = queue.step(ids[0], run: 1, through: [.downloading, .finalizing], began: now)
        #expect(queue.running == [ids[0]])
        let actions = queue.setPriority(1, of: ids[0]) + queue.move(ids[0], to: .back)
        #expect(!actions.contains(.stop(ids[0])))
    }

    private final class Store: RecordSource {
        let records = Lock<[Receipt.ID: QueueRecord]>([:])
        let reads = Lock(0)

        func records(_ ids: [Receipt.ID]) -> [QueueRecord] {
            reads.withLock { $0 += 1 }
            return records.withLock { records in ids.compactMap { records[$0] } }
        }

        func refuse(_ id: Receipt.ID) {}
        var hasFailed: Bool { false }
    }

    @Test("waiting downloads are read from the store once, a batch at a time")
    func reads() throws {
        let store = Store()
        var queue = QueueState(limits: Limits(), source: store, heldRecords: 0)
        queue.acceptsInBatch = { _ in true }
        let ids = try add(640, to: &queue)
        for id in ids {
            let record = queue.records[id]
            store.records.withLock { $0[id] = record }
            queue.markSubmitted(id, as: 1)
        }
        queue.trim(stored: 1, isThorough: true)
        var begun: [Receipt.ID] = []
        var ended = 0
        begun += batches(queue.reschedule(now: now)).flatMap(\.self)
        while ended < begun.count {
            let end = queue.ended(
                begun[ended], run: ended + 1, .completed(nil, length: 1), now: now, jitter: 0)
            begun += batches(end).flatMap(\.self)
            ended += 1
        }
        #expect(begun == ids && queue.activeRuns == 0)
        #expect(store.reads.withLock { $0 } == 20)
    }

    @Test("paths and identities are stored in one call, whose error reaches the thread that names them")
    func journal() async throws {
        let calls = Lock<[[Int]]>([])
        let journal = BatchJournal { files in
            calls.withLock { $0.append(files.map(\.run)) }
            if files.isEmpty { throw CancellationError() }
        }
        let request = try DownloadRequest("http://host/f", to: .directory("/d"))
        for run in 1...64 {
            let identity = FileIdentity(inode: 1, size: 1, modified: 1)
            let id = Receipt.ID(rawValue: 1)
            journal.add(.init(id: id, run: run, request: request, identity: identity))
        }
        try await DiskThread.run { try journal.commit() }
        #expect(calls.withLock { $0 } == [Array(1...64)])
        await #expect(throws: CancellationError.self) { try await DiskThread.run { try journal.commit() } }
    }

    @Test("operations stop one download of a batch", arguments: [DownloadState.paused, .cancelled, .queued])
    func verbs(state: DownloadState) throws {
        var queue = queue()
        let id = try add(8, to: &queue)[1]
        _ = queue.reschedule(now: now)
        let asked =
            switch state {
            case .paused: queue.pause(id)
            case .cancelled: queue.cancel(id, now: now)
            default: queue.restart(id)
            }
        #expect(asked == [.stop(id)])
        let actions = queue.ended(id, run: 2, .stopped, now: now, jitter: 0)
        // The bytes of a restarted download may be replaced, so it begins alone.
        #expect(actions.contains(.begin(id, run: 9)) == (state == .queued))
        #expect(queue.records.state(of: id) == (state == .queued ? .probing : state))
        #expect(!queue.isBatched(id))
    }
}
