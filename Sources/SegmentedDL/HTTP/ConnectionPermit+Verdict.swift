extension ConnectionPermit {
    /// Notifies the scheduler of what a response shows about the load of the host.
    ///
    /// - Returns: The verdict, corrected if the host refuses only this file.
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
