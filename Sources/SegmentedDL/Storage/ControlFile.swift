internal import SystemPackage

/// The control file that aria2 keeps next to an unfinished download.
package enum ControlFile {
    /// Returns the path of a file's control file.
    package static func path(for file: FilePath) -> FilePath { FilePath(file.string + ".aria2") }

    /// True if aria2 has not finished the file. Blocks.
    package static func isThere(for file: FilePath) -> Bool {
        (try? SystemCalls.statusFollowingLinks(path(for: file))) != nil
    }

    /// Removes a file's control file. Blocks.
    ///
    /// - Returns: False if none exists, or it cannot be removed.
    static func remove(for file: FilePath) -> Bool {
        do {
            try SystemCalls.remove(path(for: file))
            return true
        } catch {
            return false
        }
    }
}
