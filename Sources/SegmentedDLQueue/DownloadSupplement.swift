package import SegmentedDL

/// Settings of a download that its queue does not keep.
package struct DownloadSupplement: Sendable, Hashable {
    /// Digests of the file's pieces.
    package var pieces: PieceHashes?
    /// The length that the file must have, in bytes.
    package var length: Int64?
    /// The total number of tries: when they are used up, the download has failed, and the queue does not
    /// retry. `nil` for those of the request or the configuration, and the queue's own.
    package var tries: FileTries?
    /// True if the bytes of an earlier run are discarded.
    package var startsOver = false

    package init() {}
}
