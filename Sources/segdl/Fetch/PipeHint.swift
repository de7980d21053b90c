import SystemPackage

/// The hint for a user at a terminal who pipes the output to another program, and has forgotten `-o -`.
enum PipeHint {
    /// - Parameters:
    ///   - files: The number of files of the run.
    ///   - namesOutput: True if the user has named the files' place.
    /// - Returns: `nil` where the hint would not help: a script reads standard output, and has no terminal.
    static func text(
        files: Int, namesOutput: Bool, outputIsPipe: Bool = isPipe(1),
        errorsAreShown: Bool = Terminal.isTerminal(2)
    ) -> String? {
        guard files == 1, !namesOutput, outputIsPipe, errorsAreShown else { return nil }
        return
            "segdl: the file goes to the disk, and nothing into the pipe; to pipe it, write -o - instead.\n"
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }
}
