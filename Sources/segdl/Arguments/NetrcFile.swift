import SystemPackage

/// The user's credentials file.
enum NetrcFile {
    /// True if it exists and is readable, as in curl's --netrc-optional. Blocks.
    static var isThere: Bool {
        guard let home = ProcessEnvironment.variable("HOME") else { return false }
        let file = FilePath(home).appending(".netrc")
        return (try? FileDescriptor.open(file, .readOnly, options: .closeOnExec).close()) != nil
    }
}
