extension ConnectionPermit {
    /// Notifies the scheduler of an answer, as far as it shows whether the host is busy.
    ///
    /// - Returns: The verdict, or that the host is busy only for this file.
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
