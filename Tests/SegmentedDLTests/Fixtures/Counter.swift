import SegmentedDLSupport

/// How many tasks are inside something at the same time.
final class Counter: Sendable {
    private let count = Lock(0)

    var value: Int { count.withLock { $0 } }

    /// - Returns: How many are inside, with the caller.
    func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    func leave() {
        count.withLock { $0 -= 1 }
    }
}
