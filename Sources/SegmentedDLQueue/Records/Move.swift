internal import SystemPackage

/// A directory that was moved or renamed, with its contents.
struct Move: Sendable, Hashable {
    let old: FilePath
    let new: FilePath

    /// Returns the path of a file after the move; `nil` if it is not in the directory.
    func applied(to path: FilePath) -> FilePath? {
        var path = path
        guard path.removePrefix(old) else { return nil }
        return new.pushing(path)
    }
}
