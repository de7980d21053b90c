/// A complete and verified file that is being renamed to its final name.
struct Commit: Sendable {
    let part: PartFile
    let paths: DownloadPaths
    let manifest: ManifestStore
    let length: Int64
    /// Its date in seconds since 1970; `nil` for the time of its last write.
    let modified: Int64?
    /// The remote file that it is a copy of; `nil` if its origin is recorded elsewhere.
    let origin: OriginMark.Origin?
    let policy: ExistingFilePolicy
    let durability: Durability
    /// The journal that records it before it is renamed.
    var journal: JournalEntry?

    /// Prepares the file for its final name. Blocks.
    ///
    /// - Throws: The errors of `Finalizer.prepare`.
    func ready() throws -> Finalizer.ReadyFile {
        try Finalizer.prepare(
            part, at: paths, length: length, modified: modified, origin: origin, manifest: manifest,
            durability: durability)
    }
}
