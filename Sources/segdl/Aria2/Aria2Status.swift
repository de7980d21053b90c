import SegmentedDL
import SegmentedDLServer

/// aria2's exit statuses (aria2's manual, EXIT STATUS).
enum Aria2Status {
    /// All files that ended were successful, but some did not end.
    static let unfinished: Int32 = 7
    private static let notFound: Int32 = 3
    private static let tooOftenNotFound: Int32 = 4
    private static let unknown: Int32 = 1

    /// Returns the status of a failed file; `nil` for a stopped one.
    ///
    /// - Parameter boundsNotFound: True if --max-file-not-found is given.
    static func of(_ error: any Error, boundsNotFound: Bool = false) -> Int32? {
        if error is CancellationError { return nil }
        guard let error = error as? DownloadError else { return unknown }
        let status = Int32(StatusCode.of(error.code, status: error.status))
        return status == notFound && boundsNotFound ? tooOftenNotFound : status
    }

    /// Returns the exit status of a run.
    ///
    /// - Parameters:
    ///   - last: The status of the last file that failed.
    ///   - isUnfinished: True if a file neither failed nor succeeded.
    static func ofRun(last: Int32?, isUnfinished: Bool) -> Int32 {
        last ?? (isUnfinished ? unfinished : 0)
    }
}
