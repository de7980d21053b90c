public import SegmentedDL
public import SystemPackage

/// The settings of a mirror: its directory, its state, and the treatment of failures.
public struct MirrorJob: Sendable, Hashable {
    /// The failures after which a mirror gives up.
    public enum FailurePolicy: Sendable, Hashable {
        /// The mirror never gives up; the report names the failures.
        case keepGoing
        /// The mirror gives up with this failure, 1 or more: 1 is the first. Running downloads stop with a
        /// checkpoint; those that fail meanwhile are in the report, too.
        case stop(after: Int)
    }

    /// The directory of the mirror, created if it is missing. All paths are relative to it.
    public var root: FilePath

    /// The failures after which the mirror gives up.
    public var failurePolicy = FailurePolicy.keepGoing

    /// The action for an existing file that is not known to be the wanted one. A file with the digest of its
    /// item is left as it is, without a request.
    public var ifExists = ExistingFilePolicy.replace

    /// The headers and credentials for the servers of the files.
    public var access = MirrorAccess()

    /// True if files must also have the digest that servers send with them
    /// (`DownloadRequest.verifiesServerDigest`).
    public var verifiesServerDigest = true

    /// The media types of which each file must be one, unless its item has its own
    /// (`DownloadRequest.expectedTypes`); with none, any counts.
    public var expectedTypes: [String] = []

    /// The SQLite database with the mirrored files and the progress of a run. It is created if it is missing,
    /// and only one mirror at a time has it open. With `nil` every run fetches files without a known digest
    /// again, and the fields below that need the state cannot be used. `defaultState(in:)` is the usual
    /// place.
    public var state: FilePath?

    /// The shard of this job; `nil` for all files of the source. Each shard has a state and a proof of its
    /// own, and all of them may write below one root. `ProofMerge` merges their proofs.
    public var shard: Shard?

    /// The action for files that the source no longer has, after it was listed to its end without a failure.
    /// A shard acts only on its own files. It needs the ``state``.
    public var deletion = Deletion.nothing

    /// True if nothing is written below the root. `MirrorEvent.planned` reports the actions instead; the
    /// requests to servers are those of any run. It needs the ``state``.
    public var isDryRun = false

    /// True if a file below the root that no run has fetched from this source counts as the source's file if
    /// it has the size and the date that the server states; dates may differ by two seconds. It is read once
    /// for its digest. With false such a file is fetched, unless the source states its digest. It needs the
    /// ``state``.
    public var adoptsFiles = false

    /// True if all copies are read, and those that do not have the recorded digest are fetched again. It
    /// needs the ``state``.
    public var verifiesCopies = false

    /// True if an unfinished run is discarded, and the source is listed again. It needs the ``state``.
    public var startsOver = false

    /// The directory for the proof, which is written at the end of a run; `nil` for none. It is created if it
    /// is missing. The proof is `segdl-mirror.jsonl` with a JSON object for each file (path, URL, size,
    /// SHA-256, validators), and `SHA256SUMS`. It needs the ``state``.
    public var proof: FilePath?

    /// The file for the list of missing files, which is written at the end of a run; `nil` for none.
    /// `ListFormat.jsonLines` reads it. It has whole URLs, without user names and passwords, so only its
    /// owner can read it. Without failures it is empty. It needs the ``state``.
    public var missing: FilePath?

    /// The action for files that the source no longer has.
    public enum Deletion: String, Sendable, Hashable, CaseIterable {
        /// The files stay.
        case nothing
        /// Files that the mirror has put there are removed, unless they were changed since.
        case mirrored
        /// All files below the root that the source does not have are removed, whatever their origin.
        case everything
    }

    /// True to use sources in Link fields too: ``/SegmentedDL/DownloadRequest/followsLinks``.
    public var followsLinks = false

    /// The check of each file's path before the file is fetched; `nil` admits all paths below the root.
    package var pathCheck: PathCheck?

    /// The prefix of the names of databases below a root.
    static let statePrefix = ".segdl-mirror."

    /// Returns the usual path of a mirror's database: `.segdl-mirror.sqlite` in its root.
    ///
    /// The name for a shard is like `.segdl-mirror.2.sqlite`, without the number of shards, so that the shard
    /// still knows its files when that number changes.
    ///
    /// - Parameters:
    ///   - root: The root of the mirror.
    ///   - shard: The shard; `nil` for all files.
    public static func defaultState(in root: FilePath, shard: Shard? = nil) -> FilePath {
        root.appending(statePrefix + (shard.map { "\($0.index)." } ?? "") + "sqlite")
    }

    /// Creates a job for a directory.
    public init(root: FilePath) {
        self.root = root
    }

    /// Checks all settings.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    func validate() throws(DownloadError) {
        if case .stop(let count) = failurePolicy {
            try require(count >= 1, "The number of failures is \(count); it must be 1 or more.")
        }
        try require(
            state != nil
                || (deletion == .nothing && !isDryRun && !startsOver && proof == nil && missing == nil
                    && !adoptsFiles && !verifiesCopies),
            "Deletion, dry runs, starting over, adopting and verifying files, proofs and lists of what is missing need the mirror's state; set its path."
        )
        for type in expectedTypes { try MediaRange.checked(type) }
        try require(
            ifExists != .rename, "A mirror has one name for each file: existing ones cannot be renamed.")
        try require(
            access.origin != nil || (access.headers.isEmpty && access.credentials == nil),
            "Headers and credentials need the server that they are for.")
    }
}
