public import SegmentedDL

/// Settings of a download in a queue that are to change; `nil` leaves one as it is.
public struct QueueChange: Sendable, Hashable {
    /// The sources, the preferred one first; at least one.
    public var sources: [Source]?
    /// The name that tells the download, in place of its earlier one or of its URL.
    public var key: String?
    /// The place for the file. It can be changed until the download's first byte is on the disk.
    public var destination: DownloadRequest.Destination?
    /// The digests that the file must have.
    public var checksums: [Checksum]?
    /// The number of connections.
    public var segments: SegmentCount?
    /// Bytes per second; 0 for no limit.
    public var rate: Int64?
    /// The action if the final name is taken.
    public var ifExists: ExistingFilePolicy?
    /// The rule that names the file in a directory. It counts until the file's path is known.
    public var naming: FileNaming?
    /// True if the file must also have the digest that the server sends with it.
    public var verifiesServerDigest: Bool?
    /// The action that follows the complete file; an empty text for none.
    public var onComplete: String?
    /// True if a file that another program left unfinished is continued.
    public var takesOver: Bool?
    /// True if the file gets the date of the server's file.
    public var keepsRemoteDate: Bool?
    /// True if missing parent directories of a `.file` destination are created.
    public var makesDirectory: Bool?
    /// The order in which the connections fetch the file's bytes.
    public var order: SegmentOrder?
    /// True if links that the server sends are followed.
    public var followsLinks: Bool?
    /// Headers and credentials. They are not stored, see ``ManagerConfiguration/authorize``.
    public var authorization: Authorization?

    /// A change of nothing.
    public init() {}

    /// Checks the values that are given.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting`.
    func validate() throws(DownloadError) {
        if let sources {
            try require(
                !sources.isEmpty, "A download needs a URL; name another one before the last is removed.")
        }
        if let rate {
            try require(rate >= 0, "The rate limit is \(rate) bytes per second; it must be 0 or more.")
        }
        try segments?.validate()
        var agreed: [Checksum] = []
        for checksum in checksums ?? [] { try agreed.add(checksum) }
    }
}
