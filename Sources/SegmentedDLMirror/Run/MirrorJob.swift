public import SegmentedDL
public import SystemPackage

/// Many files as one job: where they go, and what happens when one fails.
public struct MirrorJob: Sendable {
    /// When a mirror gives up.
    public enum FailurePolicy: Sendable, Hashable {
        /// Never: what fails is named at the end.
        case goOn
        /// With this failure, 1 or more: 1 is the first. What runs is stopped with a checkpoint.
        case stop(after: Int)
    }

    /// The directory that the files' paths are relative to; made if it is missing.
    public var root: FilePath

    /// When it gives up.
    public var failurePolicy = FailurePolicy.goOn

    /// What to do with a file that is there and is not known to be the wanted one. A file with the digest that its item
    /// says is left as it is, without a request.
    public var ifExists = ExistingFilePolicy.replace

    /// What the servers of files get to see.
    public var access = MirrorAccess()

    /// Whether files must also have the digest that servers send with them (`DownloadRequest.verifiesServerDigest`).
    public var verifiesServerDigest = true

    /// Where it is kept what was mirrored, and how far a run is: a SQLite database, made if it is missing, which one
    /// mirror has open at a time. `nil` for nowhere; then every run fetches what has no known digest anew, and nothing
    /// that goes by the fields below can be had. `defaultState(in:)` is the usual place.
    public var state: FilePath?

    /// Which of the source's files are this job's; `nil` for all. Each shard has a state and a proof of its own, and all of them
    /// may write below one root. `ProofMerge` makes one proof of theirs.
    public var shard: Shard?

    /// What happens to files that the source no longer has, once it was listed to its end without a failure. With a shard, only
    /// to those that are its own.
    public var deletion = Deletion.nothing

    /// Whether nothing is written below the root: what would be done is told by `MirrorEvent.planned`. Servers are asked
    /// as in any run.
    public var isDryRun = false

    /// Whether a run that was not finished is given up, and the source listed anew.
    public var startsOver = false

    /// The directory that gets the proof at the end of a run (`docs/mirror-proof.md`); `nil` for none. It is made if it is
    /// missing.
    public var proof: FilePath?

    /// A file that gets, at the end of a run, what is still missing: JSON lines that `ListFormat.jsonLines` reads, and only
    /// their owner, since URLs are whole in it; user names and passwords are not. Without failures it is empty. `nil` for
    /// none.
    public var missing: FilePath?

    /// What happens to files that the source no longer has.
    public enum Deletion: String, Sendable, Hashable, CaseIterable {
        /// They stay.
        case nothing
        /// Those that the mirror has put there are removed, unless someone has changed them since.
        case mirrored
        /// Every file below the root is removed that the source does not have, whoever has put it there.
        case everything
    }

    /// Whether sources that servers name in Link fields are used too (``DownloadRequest/followsLinks``).
    public var followsLinks = false

    /// How the names of databases below a root begin.
    static let statePrefix = ".segdl-mirror."

    /// The usual place of a mirror's database: `.segdl-mirror.sqlite` in its root.
    ///
    /// A shard's is `.segdl-mirror.2.sqlite`, however many there are: with another number of them, it still knows the files
    /// that it keeps.
    public static func defaultState(in root: FilePath, shard: Shard? = nil) -> FilePath {
        root.appending(statePrefix + (shard.map { "\($0.index)." } ?? "") + "sqlite")
    }

    /// A job with a directory.
    public init(root: FilePath) {
        self.root = root
    }

    /// - Throws: `DownloadError` with code `invalidSetting`.
    func validate() throws(DownloadError) {
        if case .stop(let count) = failurePolicy {
            try require(count >= 1, "The number of failures is \(count); it must be 1 or more.")
        }
        try require(
            state != nil
                || (deletion == .nothing && !isDryRun && !startsOver && proof == nil && missing == nil),
            "Deletion, dry runs, starting over, proofs and lists of what is missing need the mirror's state; say where it is kept."
        )
        try require(
            ifExists != .rename, "A mirror has one name for each file: existing ones cannot be renamed.")
        try require(
            access.origin != nil || (access.headers.isEmpty && access.credentials == nil),
            "Headers and credentials need the server that they are for.")
    }
}
