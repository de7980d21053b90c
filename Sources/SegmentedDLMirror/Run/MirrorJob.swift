public import SegmentedDL
public import SystemPackage

/// The settings of a mirror: its directory, its state, and the handling of failures.
public struct MirrorJob: Sendable, Hashable {
    /// The condition under which a mirror stops because of failures.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum FailurePolicy: Sendable, Hashable {
        /// The mirror never stops; the report lists the failures.
        case keepGoing
        /// The mirror stops after this number of failures, 1 or more. Running downloads stop with a
        /// checkpoint; the report also contains those that fail while the mirror stops.
        case stop(after: Int)
    }

    /// The directory of the mirror, created if missing. All paths are relative to it.
    public var root: FilePath

    /// The condition under which the mirror stops because of failures.
    public var failurePolicy = FailurePolicy.keepGoing

    /// The action for an existing file that is not known to be the current one. A file that has its item's
    /// digest is kept without a request.
    public var ifExists = ExistingFilePolicy.replace

    /// The headers and credentials for the servers of the files.
    public var access = MirrorAccess()

    /// True if files must also match the digests that servers send with them
    /// (`DownloadRequest.verifiesServerDigest`).
    public var verifiesServerDigest = true

    /// The accepted media types of each file, unless its item has its own (`DownloadRequest.expectedTypes`);
    /// empty to accept any.
    public var expectedTypes: [String] = []

    /// The SQLite database of the mirrored files and the progress of a run. It is created if missing, and
    /// only one mirror at a time can open it. With `nil`, every run fetches files without a known digest
    /// again, and the properties below that need the state cannot be used. `defaultState(in:)` is the usual
    /// path.
    public var state: FilePath?

    /// The shard of this job; `nil` for all files of the source. Each shard has its own state and proof; all
    /// shards may write below one root. `ProofMerge` merges their proofs.
    public var shard: Shard?

    /// The action for files that the source no longer has, if the source was listed to its end without a
    /// failure. A shard deletes only its own files. Needs the ``state``.
    public var deletion = Deletion.nothing

    /// True if nothing is written below the root. `MirrorEvent.planned` reports the actions instead; requests
    /// are sent as in any run. Needs the ``state``.
    public var isDryRun = false

    /// True to accept a file below the root that no run has fetched from this source as the source's file, if
    /// it has the size and date stated by the server; dates may differ by two seconds. The file is read once
    /// to compute its digest. If false, such a file is fetched, unless the source states its digest. Needs
    /// the ``state``.
    public var adoptsFiles = false

    /// True to read all copies, and fetch those again whose digest differs from the recorded one. Needs the
    /// ``state``.
    public var verifiesCopies = false

    /// True to discard an unfinished run, and list the source again. Needs the ``state``.
    public var startsOver = false

    /// The directory for the proof, which is written at the end of a run; `nil` for none. It is created if
    /// missing. The proof consists of `segdl-mirror.jsonl` with a JSON object for each file (path, URL, size,
    /// SHA-256, validators), and `SHA256SUMS`. Needs the ``state``.
    public var proof: FilePath?

    /// The file for the list of missing files, which is written at the end of a run; `nil` for none. Its
    /// format is `ListFormat.jsonLines`. It contains URLs with their queries, but without user names and
    /// passwords, so only its owner can read it. Without failures it is empty. Needs the ``state``.
    public var missing: FilePath?

    /// The action for files that the source no longer has.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Deletion: String, Sendable, Hashable, CaseIterable {
        /// The files are kept.
        case nothing
        /// Files written by the mirror are removed, unless they have been changed since.
        case mirrored
        /// All files below the root that the source does not have are removed, regardless of their origin.
        case everything
    }

    /// True to also use the sources in Link fields: ``/SegmentedDL/DownloadRequest/followsLinks``.
    public var followsLinks = false

    /// The source of the entries, which explains refusals of its files; `nil` for that of ``MirrorEntries``.
    package var source: MirrorSource?

    /// The check of each file's path before the file is fetched; `nil` to accept all paths below the root.
    package var pathCheck: PathCheck?

    /// The hub of the items that have a location in a hub, unless it is the source; `nil` for none.
    package var hub: HubSettings?

    /// The path of the root in the proof, with a trailing slash; empty if paths are relative to the root.
    package var rootInProof = ""

    /// The prefix of the names of state databases in a root.
    static let statePrefix = ".segdl-mirror."

    /// Returns the default path of a mirror's database: `.segdl-mirror.sqlite` in its root.
    ///
    /// The name for a shard is of the form `.segdl-mirror.2.sqlite`. It does not contain the number of
    /// shards, so that the shard still finds its files if that number changes.
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
        try root.checkIsNotEmpty()
        for path in [state, proof, missing] { try path?.checkIsNotEmpty("does not name a file") }
        if case .stop(let count) = failurePolicy {
            try require(count >= 1, "The number of failures is \(count); it must be 1 or more.")
        }
        try require(
            state != nil
                || (deletion == .nothing && !isDryRun && !startsOver && proof == nil && missing == nil
                    && !adoptsFiles && !verifiesCopies),
            "Deletion, dry runs, starting over, adopting and verifying files, proofs and lists of missing files need the mirror's state; set its path."
        )
        for type in expectedTypes { try MediaRange.checked(type) }
        try require(
            ifExists != .rename, "The files of a mirror cannot be renamed.")
        try require(
            access.origin != nil || (access.headers.isEmpty && access.credentials == nil),
            "Headers and credentials need the server to which they are sent.")
    }
}

/// A check of a file's path before the file is fetched. An instance is equal only to itself, because
/// functions cannot be compared.
package final class PathCheck: Sendable, Hashable {
    /// Runs on a thread that may block. If it throws an error, the file fails with that error.
    let run: @Sendable (FilePath) throws -> Void

    package init(_ run: @escaping @Sendable (FilePath) throws -> Void) {
        self.run = run
    }

    package static func == (one: PathCheck, other: PathCheck) -> Bool { one === other }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}
