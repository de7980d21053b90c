import SystemPackage

/// The output for users.
enum StandardError {
    static func write(_ text: String) {
        // A failure cannot be reported elsewhere.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
