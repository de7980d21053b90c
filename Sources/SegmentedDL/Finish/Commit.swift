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
    /// Records the file before it is renamed; `nil` if nothing records it.
    var record: Record?

    /// Returns the journal, which is committed before the rename.
    typealias Record = @Sendable (FileIdentity) -> any CompletionJournal

    /// Prepares the file for its final name. Blocks.
    ///
    /// - Throws: The errors of `Finalizer.prepare`.
    func ready() throws -> Finalizer.ReadyFile {
        try Finalizer.prepare(
            part, at: paths, length: length, modified: modified, origin: origin, manifest: manifest,
            durability: durability)
    }
}
