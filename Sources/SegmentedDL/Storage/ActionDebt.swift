internal import SystemPackage

/// The note on a finished file that the action which follows it has not succeeded yet: an extended attribute,
/// which the file has before its final name. A file system without such attributes keeps none.
package enum ActionDebt {
    static let name = "user.segdl.owed"

    /// Returns true if the action is still to be run. Blocks.
    package static func isOwed(at path: FilePath) -> Bool {
        SystemCalls.attribute(name, of: path, atMost: 1) != nil
    }

    /// Removes the note; the action may have moved or removed the file. Blocks.
    package static func settle(at path: FilePath) {
        SystemCalls.removeAttribute(name, of: path)
    }
}
