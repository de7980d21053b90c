internal import SystemPackage

/// The file of aria2's that stands beside one which aria2 has not finished.
package enum ControlFile {
    /// Returns its path for a file.
    package static func path(for file: FilePath) -> FilePath { FilePath(file.string + ".aria2") }

    /// True if aria2 has not finished the file. Blocks.
    package static func isThere(for file: FilePath) -> Bool {
        (try? SystemCalls.statusFollowingLinks(path(for: file))) != nil
    }

    /// Removes it if it is there. Blocks.
    ///
    /// - Returns: False if there is none, or it cannot be removed.
    static func remove(for file: FilePath) -> Bool {
        do {
            try SystemCalls.remove(path(for: file))
            return true
        } catch {
            return false
        }
    }
}
