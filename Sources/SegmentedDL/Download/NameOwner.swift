/// The other download of a run that a name belongs to.
package enum NameOwner: Equatable, Sendable {
    /// It has this very path.
    case path(of: Source)
    /// It has a path that differs in capital letters alone, and the file system takes both for one.
    case spelling(FilePath)
}
