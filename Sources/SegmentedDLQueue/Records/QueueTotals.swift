internal import SegmentedDL

/// The sums over all downloads of a queue, updated with every change.
struct QueueTotals: Sendable, Equatable {
    private(set) var counts: [DownloadState: Int] = [:]
    // 128 bits: two absurd lengths from servers must not crash the process.
    private var bytesCompleted: Int128 = 0
    private var bytesTotal: Int128 = 0
    private var unknownLengths = 0

    mutating func add(_ record: QueueRecord) { count(record, 1) }
    mutating func remove(_ record: QueueRecord) { count(record, -1) }

    private mutating func count(_ record: QueueRecord, _ sign: Int) {
        let count = counts[record.state, default: 0] + sign
        counts[record.state] = count == 0 ? nil : count
        bytesCompleted += Int128(sign) * Int128(record.bytesCompleted)
        bytesTotal += Int128(sign) * Int128(record.bytesTotal ?? 0)
        if record.bytesTotal == nil { unknownLengths += sign }
    }

    var progress: QueueProgress {
        var progress = QueueProgress()
        progress.counts = counts
        progress.bytesCompleted = Int64(clamping: bytesCompleted)
        progress.bytesTotal = Int64(clamping: bytesTotal)
        progress.unknownLengths = unknownLengths
        return progress
    }
}
