import SystemPackage

/// Output for people.
enum StandardError {
    static func write(_ text: String) {
        // There is nobody left to tell if this fails.
        _ = try? FileDescriptor.standardError.writeAll(text.utf8)
    }
}
