import SegmentedDL
import SystemPackage

/// The user's file of credentials.
enum NetrcFile {
    /// True if it is there, as curl's --netrc-optional asks. Blocks.
    static var isThere: Bool {
        guard let home = ProcessEnvironment.variable("HOME") else { return false }
        return (try? SystemCalls.statusFollowingLinks(FilePath(home).appending(".netrc"))) != nil
    }
}
