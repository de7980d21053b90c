internal import SegmentedDL
import SegmentedDLSupport

/// Reads a mirror's source into its database, while others take from there what waits.
struct StoredListing: Sendable {
    /// So many entries are stored at a time if they are there. A transaction costs as much as thirty of them.
    private static let enoughAtOnce = 1024

    let job: MirrorJob
    let store: MirrorStore
    let run: MirrorStore.Run
    /// What is listed waits behind it. Not to be asked for now: those who wait already are on their way, and one that is there has
    /// no place any more.
    let lastTurn: Int64
    let channel: EventChannel<MirrorEvent>
    let tally: MirrorTally
    let progress: ListingProgress

    /// - Throws: `DownloadError`, or `CancellationError`.
    func carryOut<Entries: AsyncSequence & Sendable>(_ entries: Entries) async throws
    where Entries.Element == MirrorEntry {
        let listed = entries as? MirrorEntries
        let filter = listed?.filter ?? PathFilter()
        let pager: any EntryPager = try listed?.makePager() ?? SequencePager(entries)
        if run.goesOn {
            try pager.goOn(from: try await DiskThread.run { [store] in try store.listingState() })
        }
        var (reading, turn) = (await read(pager, filter), lastTurn + 1)
        while true {
            let (batches, first, end) = (reading.batches, turn, reading.end)
            turn += batches.reduce(0) { $0 + Int64($1.items.count) }
            // The next pages are fetched while these are stored, which they are whatever comes of that.
            async let stored: Void = store(batches, from: first)
            // Others may be long in coming, and a failure is not to wait for them.
            if !pager.fetches { try await stored }
            if end == nil { reading = await read(pager, filter) }
            try await stored
            if let end {
                try end.get()
                break
            }
        }
        try await DiskThread.run { [store, run] in try store.finishListing(of: run) }
        await channel.send(.listed(progress.state(isComplete: true)))
    }

    /// What was read at once, and how the source ended, if it has.
    private struct Reading {
        var batches: [ListingBatch] = []
        var end: Result<Void, any Error>?
    }

    private func read(_ pager: any EntryPager, _ filter: PathFilter) async -> Reading {
        var (reading, count) = (Reading(), 0)
        do {
            repeat {
                try Task.checkCancellation()
                guard let page = try await pager.next() else {
                    reading.end = .success(())
                    break
                }
                var batch = batch(page, filter)
                batch.directory = pager.directory
                batch.notes = pager.takeNotes()
                count += batch.items.count
                reading.batches.append(batch)
            } while pager.isAtHand && count < Self.enoughAtOnce
        } catch {
            reading.end = .failure(error)
        }
        return reading
    }

    private func batch(_ entries: [MirrorEntry], _ filter: PathFilter) -> ListingBatch {
        var batch = ListingBatch()
        for entry in entries {
            switch entry {
            case .unusable(let entry):
                batch.problems.append(MirrorReport.Failure(place: entry.place, message: entry.reason))
            case .item(let item) where !job.isOwn(item.path.text):
                if filter.accepts(item.path) { progress.addOther() }
            case .item(let item) where job.isReserved(item.path):
                batch.problems.append(MirrorReport.Failure(reserved: item))
            case .item(let item):
                if filter.accepts(item.path) { batch.items.append(item) }
            }
        }
        return batch
    }

    private func store(_ batches: [ListingBatch], from turn: Int64) async throws {
        let duplicates = try await DiskThread.run { [store, run] in
            try store.add(batches, of: run, turn: turn)
        }
        let failures = batches.flatMap(\.problems) + duplicates.map { MirrorReport.Failure(duplicate: $0) }
        for failure in failures {
            progress.hasFailed()
            tally.add(failure)
            await channel.send(.failed(failure))
        }
        let count = batches.reduce(0) { $0 + $1.items.count }
        guard count > 0 else { return }
        progress.added(count - duplicates.count)
        await channel.send(.listed(progress.state(isComplete: false)))
    }
}

/// How far a listing is, and the bell that it rings for those who wait for what it lists.
final class ListingProgress: Sendable {
    private struct State {
        var files = 0
        /// Of other shards.
        var others = 0
        var earlier = 0
        var failures = 0
        var isOver = false
        var error: (any Error)?
    }

    private let state = Lock(State())
    private let bell: AsyncStream<Void>.Continuation
    private let rings: AsyncStream<Void>

    init() {
        (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Returns when there may be something new, or the listing is over. For one reader.
    func ring() async {
        var iterator = rings.makeAsyncIterator()
        await iterator.next(isolation: #isolation)
    }

    /// Whether the source names no file at all, of whatever shard.
    var isEmpty: Bool { state.withLock { $0.files + $0.others == 0 } }

    func state(isComplete: Bool) -> MirrorListing {
        state.withLock { MirrorListing(files: $0.files, earlier: $0.earlier, isComplete: isComplete) }
    }

    /// Whether nothing more comes.
    var isOver: Bool { state.withLock { $0.isOver } }
    /// Why it could not be read to its end.
    var error: (any Error)? { state.withLock { $0.error } }
    /// Whether all that the source has is known.
    var isSound: Bool { state.withLock { $0.isOver && $0.error == nil && $0.failures == 0 } }

    func goesOn(with earlier: Int) {
        state.withLock { $0.earlier = earlier }
    }

    func added(_ count: Int) {
        state.withLock { $0.files += count }
        bell.yield()
    }

    func addOther() {
        state.withLock { $0.others += 1 }
    }

    func hasFailed() {
        state.withLock { $0.failures += 1 }
    }

    func end(_ error: (any Error)?) {
        state.withLock { state in
            state.isOver = true
            state.error = error
        }
        bell.finish()
    }
}

extension MirrorReport.Failure {
    fileprivate init(reserved item: MirrorItem) {
        self.init(
            path: item.path, place: item.sources.first?.description ?? "", code: .badPath,
            message: "'\(item.path)' is where the mirror's own state or proof is; exclude it.")
    }
}
