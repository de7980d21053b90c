import ArgumentParser
internal import SystemPackage

/// The paths of options that write results besides the downloads. `-` is standard output, as for curl.
enum OutputPath {
    /// Returns the path to open.
    static func opened(_ path: String) -> String { path == "-" ? "/dev/stdout" : path }

    /// Checks that at most one text is written to standard output, because a program could not separate two.
    ///
    /// - Parameters:
    ///   - options: The options with their paths.
    ///   - other: The other text that the command writes there; `nil` for none.
    static func check(
        _ options: [(name: String, path: String?)], besides other: String? = nil
    ) throws(ValidationError) {
        var user = other
        for (name, path) in options {
            guard let path, InheritedOutput.descriptor(named: path) == .standardOutput else { continue }
            if let user {
                throw ValidationError(
                    "\(user) already uses standard output; give \(name) the name of a file.")
            }
            user = name
        }
    }
}
