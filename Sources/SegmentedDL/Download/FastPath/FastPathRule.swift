/// Decides which downloads may use the fast path for small files, which sends one plain request whose
/// response is the whole file. A plain value.
///
/// A download with any setting that the fast path does not support is excluded.
enum FastPathRule {
    /// Returns true if the settings of the downloader allow the fast path.
    static func isAllowed(by configuration: Configuration) -> Bool {
        configuration.transport.pipelines && configuration.transport.referer != Transport.ownURL
            && configuration.incompleteDirectory == nil
            && configuration.limits.rate == nil && configuration.ratePerFile == nil
            && configuration.limits.queueOrder == .fifo
            && configuration.minimumSegmentSize > Int64(ResponseHead.longestShortBody)
    }

    /// Returns true if the settings of the download allow the fast path.
    static func mayEnter(_ task: DownloadTask) -> Bool {
        let request = task.request
        guard isPlain(task), isPlain(request), request.source.credentials == nil,
            DestinationPath.expected(for: request) != nil
        else { return false }
        // Checked last, because it inspects each header field.
        return (try? request.validate()) != nil
    }

    private static func isPlain(_ task: DownloadTask) -> Bool {
        isPlain(task.hooks) && task.revalidatedCopy == nil && !task.isCheckOnly
            && !(task.isRecorded && task.mayBeUnfinished) && task.paths == nil && !task.hasPendingAction
            && task.recognizesCopies
    }

    /// Returns true if the fast path calls all of these hooks.
    private static func isPlain(_ hooks: DownloadHooks) -> Bool {
        hooks.entered == nil && hooks.examine == nil && hooks.claim == nil && hooks.willFinalize == nil
    }

    private static func isPlain(_ request: DownloadRequest) -> Bool {
        request.mirrors.isEmpty && !request.followsLinks && request.pieces == nil
            && request.credentials == nil && request.proofPolicy.required == nil && request.segments == nil
            && request.order == .fastest && !request.startsOver && !request.takesOver
            && request.ifEncoded == .fail && request.rate == nil && request.tries == nil
            && request.priority == 0
            && request.expectedLength ?? 0 <= Int64(ResponseHead.longestShortBody)
    }
}
