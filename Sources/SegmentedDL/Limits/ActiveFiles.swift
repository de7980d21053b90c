internal import DequeModule

/// The active files, and the figures about all of them that decisions need.
///
/// Each change of a file updates the figures, and each file stalls once per silence. A decision therefore
/// never scans the files, of which a thousand may be active.
struct ActiveFiles: Sendable {
    typealias FileID = SchedulerState.FileID
    typealias File = SchedulerState.File

    /// The time at which an idle file stalls, unless it changes before then.
    private struct Stall: Sendable {
        let file: FileID
        let number: Int
        let time: Double
    }

    private(set) var all: [FileID: File] = [:]
    /// The number of files that have had no connection.
    private(set) var unconnected = 0
    /// The number of connections that files must return and have not yet returned.
    private(set) var owed = 0
    /// The number of files that only ask about existing copies.
    private(set) var asking = 0
    /// The files that had been idle for too long at the time of the last `elapse`.
    private(set) var stalled: Set<FileID> = []
    /// The number of stalled files that have had no connection.
    private(set) var stalledUnconnected = 0
    /// The number of stalled files that only ask about existing copies.
    private(set) var stalledAsking = 0
    /// The next stalls, in chronological order. Obsolete ones remain until they are reached, or until they
    /// are the majority.
    private var stalls: Deque<Stall> = []
    /// The numbers of the stalls that apply.
    private var pending: [FileID: Int] = [:]
    private var lastNumber = 0
    /// The number of stalls inspected so far, for the tests of the cost.
    private(set) var inspected = 0

    var count: Int { all.count }

    subscript(id: FileID) -> File? {
        get { all[id] }
        set {
            let before = all[id]?.silentSince
            tally(id, by: -1)
            all[id] = newValue
            if newValue?.silentSince != before { schedule(id, silentSince: newValue?.silentSince) }
            tally(id, by: 1)
        }
    }

    private mutating func tally(_ id: FileID, by sign: Int) {
        guard let file = all[id] else { return }
        owed += sign * file.owed
        if !file.hasConnected { unconnected += sign }
        if file.asksOnly { asking += sign }
        guard stalled.contains(id) else { return }
        if !file.hasConnected { stalledUnconnected += sign }
        if file.asksOnly { stalledAsking += sign }
    }

    private mutating func schedule(_ id: FileID, silentSince: Double?) {
        stalled.remove(id)
        pending[id] = nil
        if let silentSince {
            lastNumber += 1
            pending[id] = lastNumber
            insert(Stall(file: id, number: lastNumber, time: silentSince + SchedulerState.stallSeconds))
        }
        dropObsolete()
    }

    private mutating func insert(_ stall: Stall) {
        var index = stalls.endIndex
        // Usually it is the last one. The clock is read before the lock is taken, so the order may differ.
        while index > stalls.startIndex, stalls[index - 1].time > stall.time { index -= 1 }
        inspected += 1 + stalls.endIndex - index
        stalls.insert(stall, at: index)
    }

    private mutating func dropObsolete() {
        while let first = stalls.first, pending[first.file] != first.number {
            stalls.removeFirst()
            inspected += 1
        }
        // A file whose host responds many times a second would otherwise leave as many entries.
        guard stalls.count > 2 * pending.count + 16 else { return }
        inspected += stalls.count
        stalls.removeAll { [pending] in pending[$0.file] != $0.number }
    }

    /// Marks files that have been idle for too long as stalled.
    mutating func elapse(to now: Double) {
        while let first = stalls.first, now >= first.time {
            stalls.removeFirst()
            inspected += 1
            guard pending[first.file] == first.number else { continue }
            pending[first.file] = nil
            tally(first.file, by: -1)
            stalled.insert(first.file)
            tally(first.file, by: 1)
        }
        dropObsolete()
    }

    /// The time of the next stall after `now`; `nil` if no file is idle.
    func nextStall(after now: Double) -> Double? {
        stalls.first { pending[$0.file] == $0.number && $0.time > now }?.time
    }
}
