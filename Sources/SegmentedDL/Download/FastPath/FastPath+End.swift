internal import SystemPackage

extension FastPath {
    /// A download, and its unique number.
    package struct Entry: Sendable {
        package let id: Int
        package let task: DownloadTask

        package init(id: Int, task: DownloadTask) {
            self.id = id
            self.task = task
        }
    }

    /// A download that has ended on the fast path.
    package struct End: Sendable {
        package let id: Int
        package let request: DownloadRequest
        package let result: Result<DownloadResult, any Error>
        package let progress: DownloadProgress
    }
}

extension FastPath.End {
    init(_ item: FastPathStore.Item, _ result: Result<DownloadResult, any Error>) {
        let length = Int64(item.answer.body.count)
        let name = ((try? result.get())?.path ?? item.path).lastComponent?.string
        let isComplete = if case .success = result { true } else { false }
        self.init(
            id: item.file.id, request: item.file.request, result: result,
            progress: DownloadProgress(
                state: isComplete ? .completed : .failed, name: name, bytesCompleted: length,
                bytesTotal: length, completedRanges: length > 0 ? [0..<length] : [],
                isResumable: item.answer.resource.acceptsRanges))
    }
}
