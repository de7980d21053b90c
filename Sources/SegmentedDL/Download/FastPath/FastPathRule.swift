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
            && configuration.minimumSegmentSize > Int64(ResponseHead.longestShortBody)
    }

    /// Returns true if nothing about the download prevents it.
    static func mayEnter(_ task: DownloadTask) -> Bool {
        let request = task.request
        guard isPlain(task), isPlain(request), request.source.credentials == nil,
            DestinationPath.expected(for: request) != nil
        else { return false }
        // Checked last, because it inspects each header field.
        return (try? request.validate()) != nil
    }

    private static func isPlain(_ task: DownloadTask) -> Bool {
        task.mirror?.isPlain ?? true && task.examine == nil && task.paths == nil && !task.hasPendingAction
            && task.recognizesCopies
    }

    private static func isPlain(_ request: DownloadRequest) -> Bool {
        request.mirrors.isEmpty && !request.followsLinks && request.pieces == nil
            && request.credentials == nil && request.proofPolicy.required == nil && request.segments == nil
            && request.order == .fastest && request.ifExists != .rename && !request.startsOver
            && !request.takesOver && request.ifEncoded == .fail && request.rate == nil && request.tries == nil
            && request.priority == 0
    }
}

extension MirrorTerms {
    /// True if the mirror has no copy of the file, and no part of one.
    fileprivate var isPlain: Bool {
        if case .fetch = mode { !mayBeUnfinished } else { false }
    }
}
