internal import SegmentedDL

extension DownloadResult {
    /// Returns the result of an existing file, counted as fetched if this run's listing has stored the file.
    func counted(for item: MirrorItem) -> DownloadResult {
        guard item.isStoredByListing, outcome != .downloaded else { return self }
        var result = self
        result.outcome = .downloaded
        result.bytesWritten = length
        result.bytesReceived = length
        return result
    }
}
