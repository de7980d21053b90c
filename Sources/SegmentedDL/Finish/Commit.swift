internal import SystemPackage

/// A complete and verified file on its way to its final name.
struct Commit: Sendable {
    let part: PartFile
    let paths: DownloadPaths
    let manifest: ManifestStore
    let length: Int64
    /// Its date in seconds since 1970; `nil` for the date of its last byte.
    let modified: Int64?
    /// The remote file that it is; `nil` if that is recorded elsewhere.
    let origin: OriginMark.Origin?
    let policy: ExistingFilePolicy
    let durability: Durability
    /// The journal that records it before it gets its name.
    var journal: JournalEntry?

    /// Makes the file ready for its final name. Blocks.
    ///
    /// - Throws: As `Finalizer.prepare`.
    func ready() throws -> Finalizer.ReadyFile {
        try Finalizer.prepare(
            part, at: paths, length: length, modified: modified, origin: origin, manifest: manifest,
            durability: durability)
    }
}
