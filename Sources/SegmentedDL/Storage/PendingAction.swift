internal import SystemPackage

/// The note on a finished file that its subsequent action has not succeeded yet: an extended attribute, set
/// before the final name. File systems without such attributes store none.
package enum PendingAction {
    static let name = "user.segdl.owed"

    /// Returns true if the action must still run. Blocks.
    package static func exists(at path: FilePath) -> Bool {
        SystemCalls.attribute(name, of: path, atMost: 1) != nil
    }

    /// Removes the note; the action may have moved or removed the file. Blocks.
    package static func clear(at path: FilePath) {
        SystemCalls.removeAttribute(name, of: path)
    }
}
