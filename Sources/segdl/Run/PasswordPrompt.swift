import SystemPackage

/// The question for a password on the terminal.
enum PasswordPrompt {
    /// Asks, without showing what is typed. Blocks.
    ///
    /// - Returns: `nil` if the process has no terminal.
    static func ask(for user: String) -> String? {
        // getpass would read standard input then.
        guard let terminal = try? FileDescriptor.open("/dev/tty", .readWrite) else { return nil }
        try? terminal.close()
        guard let typed = getpass("Password for \(TextWidth.printable(user)): ") else { return nil }
        return String(cString: typed)
    }
}
