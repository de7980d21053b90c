internal import SystemPackage

/// Marks a finished file whose completion action has not succeeded yet, with an extended attribute that is
/// set before the rename. File systems without such attributes store none.
package enum PendingAction {
    static let name = "user.segdl.owed"

    /// Returns true if the action is still pending. Blocks.
    package static func exists(at path: FilePath) -> Bool {
        SystemCalls.attribute(name, of: path, atMost: 1) != nil
    }

    /// Removes the mark; the action may have moved or removed the file. Blocks.
    package static func clear(at path: FilePath) {
        SystemCalls.removeAttribute(name, of: path)
    }
}
