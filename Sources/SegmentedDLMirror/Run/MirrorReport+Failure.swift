internal import SegmentedDL

extension MirrorReport.Failure {
    /// A failure of one file, or of the mirror as a whole.
    init(_ error: any Error, of item: MirrorItem? = nil) {
        let known = (error as? StorageError)?.asDownloadError ?? error as? DownloadError
        let advised = known.flatMap(Self.advised)
        self.init(
            path: item?.shownPath, place: known?.url ?? item?.firstPlace ?? "", code: known?.code,
            message: advised ?? known?.message ?? "\(error)")
        remedy = advised == nil ? known?.remedy : nil
    }

    /// Returns the message of an error about the bytes of an unfinished file with a mirror's advice; `nil`
    /// for other errors. A mirror can neither start a single file over nor continue the bytes of another
    /// program.
    private static func advised(_ error: DownloadError) -> String? {
        guard error.remedy == .takeOver || error.remedy == .startOver,
            let advice = error.message.ranges(of: "; ").last
        else { return nil }
        return "\(error.message[..<advice.upperBound])move it away, and run the mirror again."
    }

    /// The failure of an entry whose path belongs to another entry of this run.
    init(duplicate item: MirrorItem) {
        self.init(
            path: item.shownPath, place: item.firstPlace, code: .duplicate,
            message:
                "'\(item.shownPath)' is listed more than once, with different URLs or digests; only the first one is downloaded."
        )
    }

    /// The failure of a source that no longer lists any files.
    init(emptySourceOf job: MirrorJob, _ filter: PathFilter) {
        let part = filter == PathFilter() ? "at all" : "that the filter accepts"
        self.init(
            place: "\(job.root)",
            message:
                "The source lists no files \(part), so \(Self.kept(job)); empty '\(job.root)' yourself if this is correct."
        )
    }

    /// The failure of a source none of whose files could be fetched, although it had files before.
    init(unreachableFilesOf job: MirrorJob) {
        self.init(
            place: "\(job.root)",
            message:
                "None of the files that the source lists could be fetched, so \(Self.kept(job)); run it again when they are available."
        )
    }

    private static func kept(_ job: MirrorJob) -> String {
        job.proof == nil ? "nothing is removed" : "nothing is removed, and the last proof is kept"
    }

    /// The failure of an entry whose path is reserved for the mirror itself.
    init(reserved item: MirrorItem) {
        self.init(
            path: item.path, place: item.firstPlace, code: .badPath,
            message: "'\(item.path)' is the path of the mirror's own state or proof; exclude it.")
    }
}

extension MirrorItem {
    /// The first source's URL, without credentials and query.
    fileprivate var firstPlace: String { sources.first?.description ?? "" }
}
