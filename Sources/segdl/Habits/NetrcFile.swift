import SystemPackage

/// The user's file of credentials.
enum NetrcFile {
    /// True if it is there and can be read, as curl's --netrc-optional asks. Blocks.
    static var isThere: Bool {
        guard let home = ProcessEnvironment.variable("HOME") else { return false }
        let file = FilePath(home).appending(".netrc")
        return (try? FileDescriptor.open(file, .readOnly, options: .closeOnExec).close()) != nil
    }
}
