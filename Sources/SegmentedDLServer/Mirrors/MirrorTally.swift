internal import SegmentedDL
internal import SegmentedDLMirror

/// The figures of a mirror's run, counted from its events.
struct MirrorTally: Sendable, Equatable, Codable {
    /// The maximum number of listed changes; all are counted.
    static let named = 200

    /// Files that the directory did not contain.
    var new = 0
    /// Files that replaced an earlier version.
    var changed = 0
    /// Files that already existed.
    var kept = 0
    /// Files that the source no longer has, and that were removed.
    var removed = 0
    /// Files that the source no longer has, and that were kept; `nil` if unknown.
    var gone: Int?
    /// Files and entries that failed.
    var failed = 0
    /// Files that an earlier start of the run completed.
    var earlier = 0
    /// Files of the source listed so far.
    var listed = 0
    var isListed = false
    /// The length of all existing files.
    var bytes: Int64 = 0
    /// The received bytes of bodies.
    var bytesReceived: Int64 = 0
    var cost = TransferCost()
    /// The first changes and failures.
    var changes: [MirrorChange] = []

    init() {}

    /// Counts an unchanged file.
    mutating func complete(_ path: RelativePath, _ result: DownloadResult) {
        bytes += result.length
        bytesReceived += result.bytesReceived
        guard result.outcome == .downloaded else {
            kept += 1
            return
        }
        note(result.isReplacement ? .changed : .new, path.text)
    }

    /// Counts a failed file, entry or source.
    mutating func fail(_ path: String, _ message: String) {
        note(.failed, path, message)
    }

    mutating func remove(_ path: RelativePath) {
        note(.removed, path.text)
    }

    mutating func list(_ listing: MirrorListing) {
        listed = listing.files
        earlier = listing.earlier
        isListed = listing.isComplete
    }

    /// Restarts the count of existing files, because the source is listed again.
    mutating func listAgain() {
        (kept, bytes) = (0, 0)
        list(MirrorListing(files: 0, isComplete: false))
    }

    /// Sets the sums over all starts of the run from its report.
    mutating func end(_ report: MirrorReport) {
        bytes = report.bytes
        // A file fetched from an earlier listing of this run does not count as kept.
        kept = max(0, report.skipped - earlier)
        gone = report.gone
    }

    private mutating func note(_ kind: MirrorChange.Kind, _ path: String, _ message: String? = nil) {
        switch kind {
        case .new: new += 1
        case .changed: changed += 1
        case .removed: removed += 1
        case .failed: failed += 1
        }
        guard changes.count < Self.named else { return }
        changes.append(MirrorChange(kind: kind, path: path, message: message))
    }
}

/// A file that a run of a mirror has changed, or failed to change.
struct MirrorChange: Sendable, Equatable, Codable {
    enum Kind: String, Sendable, Codable, CaseIterable {
        /// It is new in the directory.
        case new
        /// It replaced an earlier version.
        case changed
        /// The source no longer contains it, and the mirror has removed it.
        case removed
        /// It is missing, or still the earlier version.
        case failed
    }

    var kind: Kind
    /// The path below the mirror's directory; the URL if it has no path.
    var path: String
    /// A sentence about the failure, if any.
    var message: String?
}
