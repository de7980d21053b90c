import SegmentedDLSupport

/// A timeout for an operation.
enum Deadline {
    /// Runs `work`, and cancels it when the timeout expires.
    ///
    /// - Parameter longest: `nil` for no timeout.
    /// - Returns: True if the timeout expired before the work ended.
    static func run(_ longest: Duration?, _ work: @escaping @Sendable () async -> Void) async -> Bool {
        guard let longest else {
            await work()
            return false
        }
        return await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await work()
                return false
            }
            group.addTask { (try? await Task.sleep(for: longest.asSleep)) != nil }
            let isOver = await group.next() ?? false
            group.cancelAll()
            await group.waitForAll()
            return isOver
        }
    }
}
