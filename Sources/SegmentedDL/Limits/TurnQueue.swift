/// The order in which the transfers under a speed cap receive bytes: each in turn.
///
/// The engine serves transfers in its own order. Without turns, the first transfer would use up the cap each
/// time, and the others would starve.
struct TurnQueue: Sendable {
    /// A transfer that has not polled for this long is no longer waiting: it has ended, or is blocked
    /// elsewhere.
    private static let patienceSeconds = 0.5
    /// The turn passes to the others when its holder has not polled for this long.
    private static let silenceSeconds = 0.005

    private var waiting: [(id: Int, asked: Double)] = []
    private var holder: (id: Int, left: Int, asked: Double)?

    /// Returns true if it is the transfer's turn, and otherwise puts it in the queue.
    ///
    /// - Parameter bytes: The length of a turn.
    mutating func mayPass(_ id: Int, for bytes: Int, now: Double) -> Bool {
        if holds(id, now: now) { return true }
        waiting.removeAll { now - $0.asked > Self.patienceSeconds }
        let isHeld = holder.map { $0.left > 0 && now - $0.asked <= Self.silenceSeconds } ?? false
        if isHeld || waiting.first.map({ $0.id != id }) ?? false {
            wait(id, now: now)
            return false
        }
        if !waiting.isEmpty { waiting.removeFirst() }
        holder = (id, bytes, now)
        return true
    }

    /// The number of transfers that take turns.
    func count(now: Double) -> Int {
        let others = waiting.count { now - $0.asked <= Self.patienceSeconds && $0.id != holder?.id }
        return others + (holder.map { now - $0.asked <= Self.patienceSeconds } ?? false ? 1 : 0)
    }

    /// Puts a transfer at the end, unless it is already waiting or has the turn.
    mutating func wait(_ id: Int, now: Double) {
        if holds(id, now: now) { return }
        if let index = waiting.firstIndex(where: { $0.id == id }) {
            waiting[index].asked = now
        } else {
            waiting.append((id, now))
        }
    }

    /// Records that a transfer has received bytes.
    mutating func spend(_ bytes: Int, by id: Int) {
        if holder?.id == id { holder?.left -= bytes }
    }

    private mutating func holds(_ id: Int, now: Double) -> Bool {
        guard let holder, holder.id == id, holder.left > 0 else { return false }
        self.holder?.asked = now
        return true
    }
}
