import SystemPackage

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
    /// Opens `/dev/null` for each closed one, or the next file would get its number, and output for programs
    /// or people would go into that file.
    ///
    /// Reading from such an input and writing to such an output fail, as with a closed one.
    static func openMissing() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // It gets the lowest free number.
            _ = try? FileDescriptor.open("/dev/null", number == STDIN_FILENO ? .writeOnly : .readOnly)
        }
    }
}
