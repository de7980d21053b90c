/// The hint for a user who pipes or redirects the output, as with curl, but has not given `-o -`.
enum PipeHint {
    /// - Parameters:
    ///   - files: The number of files of the run.
    /// - namesOutput: True if the user has given an output name.
    ///   - outputIsTaken: True if standard output is a pipe or a separate file.
    /// - Returns: `nil` if the user does not expect the file on standard output.
    static func text(files: Int, namesOutput: Bool, outputIsTaken: Bool = outputIsTaken()) -> String? {
        guard files == 1, !namesOutput, outputIsTaken else { return nil }
        return
            "segdl: the file is written to disk, not to standard output; use -o - for standard output.\n"
    }

    /// Returns true for a command line written for a tool that would store the file on disk: with curl's `-O`
    /// or axel's `-a`.
    static func meansDisk(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains {
            RemoteNameOption.isIn($0) || $0.hasPrefix("-a") || $0 == "--alternate"
        }
    }

    /// Returns true if standard output is a pipe or a file, and standard error is a different one. If they
    /// are the same, a log receives both.
    static func outputIsTaken(_ output: Int32 = 1, _ errors: Int32 = 2) -> Bool {
        guard let output = status(of: output) else { return false }
        guard [S_IFIFO, S_IFREG].contains(output.st_mode & S_IFMT) else { return false }
        guard let errors = status(of: errors) else { return true }
        return (output.st_dev, output.st_ino) != (errors.st_dev, errors.st_ino)
    }

    private static func status(of descriptor: Int32) -> stat? {
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status : nil
    }
}
