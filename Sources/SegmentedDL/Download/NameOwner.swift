/// The other download of a run that has reserved a name.
package enum NameOwner: Equatable, Sendable {
    /// It has exactly this path.
    case path(of: Source)
    /// Its path differs only in case, and the file system treats both as one.
    case spelling(FilePath)
}
