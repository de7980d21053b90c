import SegmentedDLSupport

/// Counts the tasks in a section at the same time.
public final class Counter: Sendable {
    private let count = Lock(0)

    public init() {}

    public var value: Int { count.withLock { $0 } }

    /// - Returns: The number of tasks in the section, including the caller.
    public func enter() -> Int {
        count.withLock { count in
            count += 1
            return count
        }
    }

    public func leave() {
        count.withLock { $0 -= 1 }
    }
}
