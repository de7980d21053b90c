import SystemPackage

/// The output for people.
enum StandardError {
    static func write(_ text: String) {
        // There is no other place to report a failure to.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
