import SegmentedDLSupport

extension Downloader {
    /// Returns the fast path of small files for one run; `nil` if its settings or its engine do not allow it.
    package func makeFastPath() -> FastPath? {
        let configuration = configuration.withLock { $0 }
        guard let curl, FastPathRule.isAllowed(by: configuration) else { return nil }
        return FastPath(curl, scheduler, answered, configuration)
    }
}
