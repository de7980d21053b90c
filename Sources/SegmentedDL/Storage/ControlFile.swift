internal import SystemPackage

/// aria2's file beside one that aria2 has not finished.
package enum ControlFile {
    /// Returns its path for a file.
    package static func path(for file: FilePath) -> FilePath { FilePath(file.string + ".aria2") }

    /// True if aria2 has not finished the file. Blocks.
    package static func isThere(for file: FilePath) -> Bool {
        (try? SystemCalls.statusFollowingLinks(path(for: file))) != nil
    }

    /// Removes an existing one. Blocks.
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
