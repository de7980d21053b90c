import Foundation
import SystemPackage
import Testing

@testable import SegmentedDL
@testable import SegmentedDLQueue

@Suite("Operations and reports of runs in a queue")
struct QueueVerbTests {
    private let now = Date(timeIntervalSince1970: 0)

    /// A queue that runs one download at a time, and by default retries each once.
    private func queue(retries: Int = 1) -> QueueState {
        var limits = Limits()
        limits.activeFiles = 1
        var retry = RetryPolicy()
        retry.retries = retries
        return QueueState(limits: limits, retry: retry)
    }

    private func record(
        _ id: Receipt.ID, to destination: DownloadRequest.Destination = .directory("/d")
    ) throws -> QueueRecord {
        QueueRecord(id: id, source: try Source("http://host/\(id)"), destination: destination, added: now)
    }

    private func add(
        to queue: inout QueueState, _ destination: DownloadRequest.Destination = .directory("/d")
    ) throws -> Receipt.ID {
        let id = queue.makeID()
        _ = queue.add(try record(id, to: destination))
        queue.admit([id])
        return id
    }

    // MARK: Results

    @Test("a receipt adds the cost of the run to that of earlier ones; a restart resets it and the proofs")
    func results() throws {
        var queue = queue()
        let id = try add(to: &queue)
        let proof = DigestProof(try Checksum(.md5, String(repeating: "ab", count: 16)), isRequested: true)
        _ = queue.edit(id) { record in
            record.results.proofs = [proof]
            record.results.cost = TransferCost(bytesUnused: 1, refusals: 2, drops: 3, retries: 4)
        }
        var live = DownloadProgress(state: .downloading)
        live.cost = TransferCost(refusals: 10, retries: 10)
        let receipt = Receipt(try #require(queue.records[id]), live)
        #expect(receipt.proofs == [proof])
        #expect(receipt.cost == TransferCost(bytesUnused: 1, refusals: 12, drops: 3, retries: 14))
        let copy = try JSONDecoder().decode(Receipt.self, from: JSONEncoder().encode(receipt))
        #expect(copy.cost == receipt.cost && copy.proofs == [proof])
        _ = queue.restart(id)
        let restarted = Receipt(try #require(queue.records[id]))
        #expect(restarted.proofs == [] && restarted.cost == TransferCost())
    }

    @Test("bytes with a wrong digest do not count, and those of other failures do")
    func wrongBytes() throws {
        let cases: [(DownloadError.Code, Int64)] = [(.checksumMismatch, 0), (.badResponse, 5)]
        for (code, bytes) in cases {
            var queue = queue(retries: 0)
            let id = try add(to: &queue)
            _ = queue.reschedule(now: now)
            _ = queue.edit(id) { $0.bytesCompleted = 5 }
            _ = queue.ended(id, run: 1, .failed(DownloadError(code, "")), now: now, jitter: 0)
            let receipt = Receipt(try #require(queue.records[id]))
            #expect(receipt.state == .failed && receipt.bytesCompleted == bytes)
        }
    }

    @Test("bytes of unknown length count in both totals, and failed downloads do not hide the fraction")
    func unknownLength() throws {
        var queue = queue(retries: 0)
        let id = try add(to: &queue)
        #expect(queue.records.totals.progress.unknownLengths == 1)
        _ = queue.reschedule(now: now)
        _ = queue.ended(id, run: 1, .failed(DownloadError(.badPath, "")), now: now, jitter: 0)
        let progress = queue.records.totals.progress
        #expect(progress.counts == [.failed: 1] && progress.unknownLengths == 0)
        #expect(progress.fraction == nil)
        let running = try add(to: &queue)
        _ = queue.edit(running) { $0.bytesCompleted = 400 }
        let known = try add(to: &queue)
        _ = queue.edit(known) { ($0.bytesCompleted, $0.bytesTotal) = (50, 100) }
        let partial = queue.records.totals.progress
        #expect(partial.bytesCompleted == 450 && partial.bytesTotal == 500)
        #expect(partial.unknownLengths == 1 && partial.fraction == nil)
        _ = queue.cancel(running, now: now)
        let ended = queue.records.totals.progress
        #expect(ended.unknownLengths == 0 && ended.fraction == 0.9)
        var sum = QueueProgress()
        for id in [id, running, known] { sum.add(Receipt(try #require(queue.records[id]))) }
        #expect(sum == ended)
    }

    // MARK: Added again

    /// Returns a download of a queue after which another one is added, from the same URL to the same file.
    private func repeated(
        _ state: DownloadState, takesOver: Bool = false, url: String = "http://host/1"
    ) throws -> (old: QueueRecord?, new: QueueRecord?) {
        var queue = queue()
        let file = DownloadRequest.Destination.file("/d/f")
        let id = try add(to: &queue, file)
        _ = queue.edit(id) { record in
            record.state = state
            record.key = "first"
            (record.path, record.part) = ("/d/f", DownloadPaths("/d/f"))
            record.bytesCompleted = 5
        }
        let next = queue.makeID()
        var record = QueueRecord(id: next, key: "k", source: try Source(url), destination: file, added: now)
        record.request.takesOver = takesOver
        guard isFree(record, in: queue) else { return (queue.records[id], nil) }
        _ = queue.add(record)
        return (queue.records[id], queue.records[next])
    }

    private func isFree(_ record: QueueRecord, in queue: QueueState) -> Bool {
        do {
            return try queue.existing(record) == nil
        } catch {
            return false
        }
    }

    @Test("resumes failed or cancelled downloads", arguments: [DownloadState.failed, .cancelled])
    func continued(state: DownloadState) throws {
        let (old, new) = try repeated(state)
        #expect(old?.part == nil)
        let record = try #require(new)
        #expect(record.part == DownloadPaths("/d/f"))
        #expect(record.path == "/d/f")
        #expect(record.bytesCompleted == 5)
        #expect(try repeated(state, url: "http://host/other").new == nil)
    }

    @Test("has the name of a complete one only to adopt existing files")
    func complete() throws {
        #expect(try repeated(.completed).new == nil)
        #expect(try repeated(.completed, takesOver: true).new != nil)
        #expect(try repeated(.completed, takesOver: true, url: "http://host/other").new == nil)
    }

    @Test("another active one keeps its name", arguments: [DownloadState.queued, .paused, .retrying])
    func atWork(state: DownloadState) throws {
        #expect(try repeated(state, takesOver: true).new == nil)
    }

    // MARK: Reports

    @Test("a report of an impossible step changes nothing")
    func illegalStep() throws {
        var queue = queue()
        let id = try add(to: &queue)
        _ = queue.reschedule(now: now)
        let entered = queue.entered(.downloading, id, run: 1)
        #expect(entered.contains(.changed(id, from: .probing, to: .downloading)))
        let late = queue.entered(.completed, id, run: 1)
        #expect(late == [])
        #expect(queue.records.state(of: id) == .downloading)
    }

    @Test("the end of an earlier run does not end the one after it")
    func earlierRun() throws {
        var queue = queue()
        let id = try add(to: &queue)
        _ = queue.reschedule(now: now)
        let again = queue.ended(id, run: 1, .stopped, now: now, jitter: 0)
        #expect(again.contains(.begin(id, run: 2)))
        let late = queue.ended(id, run: 1, .failed(DownloadError(.timedOut, "")), now: now, jitter: 0)
        #expect(late == [])
        #expect(queue.isCurrent(id, run: 2))
        #expect(queue.records.state(of: id) == .probing)
    }

    // MARK: Failures

    /// Fails once for each error, each time with this many more bytes; returns the states after each.
    private func states(
        after errors: [DownloadError], bytes: Int64 = 0, retries: Int = 1
    ) throws -> [DownloadState?] {
        var queue = queue(retries: retries)
        let id = try add(to: &queue)
        var (time, states) = (now, [DownloadState?]())
        for (index, error) in errors.enumerated() {
            _ = queue.reschedule(now: time)
            _ = queue.edit(id) { $0.bytesCompleted += bytes }
            _ = queue.ended(id, run: index + 1, .failed(error), now: time, jitter: 0)
            states.append(queue.records.state(of: id))
            time = queue.nextRetry ?? time
        }
        return states
    }

    @Test("a host that states a time for the next request uses up no retries")
    func asksToWait() throws {
        var busy = DownloadError(.httpStatus, "busy", isRetryable: true)
        busy.retryAfter = .seconds(3)
        #expect(try states(after: [busy, busy, busy]) == [.retrying, .retrying, .retrying])
        #expect(try states(after: [busy], retries: 0) == [.failed])
        // A response is a failure, and the delay that it requests is awaited.
        busy.status = 503
        #expect(try states(after: [busy, busy]) == [.retrying, .failed])
        busy.status = nil
        // If the host answers for other files, waiting will not help this one.
        busy.isOfFile = true
        #expect(try states(after: [busy, busy]) == [.retrying, .failed])
    }

    @Test("the first retry awaits the delay that the response requests, and the receipt states it")
    func requestedDelay() throws {
        var queue = queue()
        let id = try add(to: &queue)
        _ = queue.reschedule(now: now)
        let failure = TransferFailure.busy(status: RefusedStatus(503), retryAfter: 3600)
        let error = failure.error(for: try Source("http://host/f"), file: "f")
        _ = queue.ended(id, run: 1, .failed(error), now: now, jitter: 0)
        let record = try #require(queue.records[id])
        #expect(record.retriesAt == now.addingTimeInterval(3600))
        let receipt = try JSONDecoder().decode(Receipt.self, from: JSONEncoder().encode(Receipt(record)))
        #expect(receipt.error?.retryAfter == .seconds(3600))
    }

    @Test("progress between failures restores the retries, and nothing else does")
    func progress() throws {
        let lost = DownloadError(.connectionFailed, "lost", isRetryable: true)
        #expect(try states(after: [lost, lost, lost], bytes: 1) == [.retrying, .retrying, .retrying])
        #expect(try states(after: [lost, lost]) == [.retrying, .failed])
        let lasting = DownloadError(.httpStatus, "404", isRetryable: false)
        #expect(try states(after: [lasting], bytes: 1) == [.failed])
    }

    @Test("a download that has used up its own tries is not retried")
    func gaveUp() throws {
        var queue = queue(retries: 5)
        let id = try add(to: &queue)
        _ = queue.reschedule(now: now)
        let lost = DownloadError(.connectionFailed, "lost", isRetryable: true)
        _ = queue.ended(id, run: 1, .gaveUp(lost), now: now, jitter: 0)
        #expect(queue.records.state(of: id) == .failed)
        #expect(queue.records[id]?.error?.isRetryable == true)
    }

    @Test("a failed download that is added again keeps its bytes, and has all retries")
    func failedAddedAgain() throws {
        var queue = queue(retries: 0)
        let id = try add(to: &queue)
        _ = queue.reschedule(now: now)
        _ = queue.edit(id) { $0.bytesCompleted = 7 }
        let lost = DownloadError(.connectionFailed, "lost", isRetryable: true)
        _ = queue.ended(id, run: 1, .failed(lost), now: now, jitter: 0)
        #expect(queue.records.state(of: id) == .failed)
        let actions = queue.addAgain(id)
        #expect(actions.contains(.changed(id, from: .failed, to: .queued)))
        let record = try #require(queue.records[id])
        #expect(record.bytesCompleted == 7 && record.failures == 0 && !record.startsOver)
        #expect(!record.isAddedAgain && record.error?.message == "lost")
    }

    // MARK: Places

    @Test("a started download loses its turn when it is moved to the back")
    func moved() throws {
        var queue = queue()
        let (one, two) = (Receipt.ID(rawValue: 1), Receipt.ID(rawValue: 2))
        var begun = try record(one)
        (begun.state, begun.rank) = (.downloading, 1)
        var other = try record(two)
        other.rank = 2
        _ = queue.restore(begun, from: begun, policy: .resume)
        _ = queue.restore(other, from: other, policy: .resume)
        var unmoved = queue
        let before = unmoved.reschedule(now: now)
        #expect(before.contains(.begin(one, run: 1)))
        _ = queue.move(one, to: .back)
        let after = queue.reschedule(now: now)
        #expect(after.contains(.begin(two, run: 1)))
    }

    @Test("with --stay-paused only started downloads are paused")
    func staysPaused() throws {
        var queue = queue()
        let (one, two) = (Receipt.ID(rawValue: 1), Receipt.ID(rawValue: 2))
        var begun = try record(one)
        begun.hasBegun = true
        let waits = try record(two)
        for record in [begun, waits] { _ = queue.restore(record, from: record, policy: .stayPaused) }
        #expect(queue.records.state(of: one) == .paused)
        #expect(queue.records.state(of: two) == .queued)
    }

    @Test("a file that is one download's destination cannot be another's")
    func sameDestination() throws {
        var queue = queue()
        _ = try add(to: &queue, .file("/d/a"))
        let second = try record(queue.makeID(), to: .file("/d/a"))
        let state = queue
        let error = #expect(throws: DownloadError.self) { try state.existing(second) }
        #expect(error?.code == .duplicate)
    }

    @Test("a path belongs to a download until it is complete, even while it is paused")
    func claimed() throws {
        var queue = queue()
        let first = try add(to: &queue)
        let second = try add(to: &queue)
        let claimed = queue.claim("/d/a", for: first)
        #expect(claimed != nil)
        _ = queue.pause(first)
        let refused = queue.claim("/d/a", for: second)
        #expect(refused == nil)
        _ = queue.remove(first, withFiles: false)
        let free = queue.claim("/d/a", for: second)
        #expect(free != nil)
    }
}
