import SystemPackage

/// The descriptors of standard input, output and error.
enum StandardDescriptors {
    /// Opens `/dev/null` for each closed one. Otherwise the next opened file would get its number, and output
    /// would be written to that file.
    ///
    /// Reading from such an input and writing to such an output fail, as they do with a closed one.
    static func openMissing() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            // The new descriptor has the lowest free number.
            _ = try? FileDescriptor.open("/dev/null", number == STDIN_FILENO ? .writeOnly : .readOnly)
        }
    }
}

/// The output for users.
enum StandardError {
    static func write(_ text: String) {
        // A failure cannot be reported elsewhere.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
