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
            ifExists != .rename, "A mirror has one name for each file: existing ones cannot be renamed.")
        try require(
            access.home != nil || (access.headers.isEmpty && access.credentials == nil),
            "Headers and credentials need the server that they are for.")
    }
}
