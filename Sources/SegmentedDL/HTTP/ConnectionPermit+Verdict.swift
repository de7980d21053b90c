extension ConnectionPermit {
    /// Notifies the scheduler of an answer, as far as it says whether the host has time for others.
    ///
    /// - Returns: The verdict, or that the host has no time for this file alone.
    @discardableResult
    func report(_ verdict: ResponseVerdict) -> ResponseVerdict {
        switch verdict {
        case .busy(let status, let retryAfter):
            let isOfFile = refused(retryAfter: retryAfter)
            return isOfFile ? .busyForFile(status: status, retryAfter: retryAfter) : verdict
        case .range, .whole, .unchanged: served()
        default: break
        }
        return verdict
    }
}
