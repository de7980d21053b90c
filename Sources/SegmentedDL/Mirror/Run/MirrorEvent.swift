/// What happens in a mirror.
public enum MirrorEvent: Sendable {
    /// A file's download was handed over; the handle tells how far it is.
    case started(MirrorItem, DownloadHandle)
    /// A file is complete and verified, or was there already (`DownloadResult.outcome`).
    case completed(MirrorItem, DownloadResult)
    /// A file failed, or an entry cannot be used.
    case failed(MirrorReport.Failure)
    /// The last event.
    case ended(MirrorReport)
}
