internal import SystemPackage

/// The decision which downloads may take the fast path of small files: one plain request, whose answer is the
/// whole file. A plain value.
///
/// Every setting that the fast path does not carry out keeps a download out of it.
enum FastPathRule {
    /// Returns true if nothing about the downloader prevents it.
    static func isAllowed(by configuration: Configuration) -> Bool {
        configuration.transport.pipelines && configuration.incompleteDirectory == nil
            && configuration.limits.rate == nil && configuration.ratePerFile == nil
            && configuration.limits.queueOrder == .fifo
            && configuration.minimumSegmentSize > Int64(FetchPipeline.maximumBodyBytes)
    }

    /// Returns true if nothing about the download prevents it.
    static func mayEnter(_ task: DownloadTask) -> Bool {
        let request = task.request
        guard isPlain(task), isPlain(request), request.source.origin.scheme == "http",
            request.source.credentials == nil, DestinationPath.expected(for: request) != nil
        else { return false }
        // Checked last, because it inspects each header field.
        return (try? request.validate()) != nil
    }

    private static func isPlain(_ task: DownloadTask) -> Bool {
        task.mirror == nil && task.examine == nil && task.paths == nil && !task.hasPendingAction
            && !task.refusesDirectories && task.recognizesCopies
    }

    private static func isPlain(_ request: DownloadRequest) -> Bool {
        // Pipelined requests of files with a known digest are faster over a long line.
        request.checksums.isEmpty && request.mirrors.isEmpty && !request.followsLinks && request.pieces == nil
            && request.credentials == nil && request.proofPolicy.required == nil && request.segments == nil
            && request.order == .fastest && request.ifExists != .rename && !request.startsOver
            && !request.takesOver && request.ifEncoded == .fail && request.rate == nil && request.tries == nil
            && request.priority == 0
    }
}
