enum ProcessEnvironment {
    /// All variables. If a name occurs twice, the first entry applies, as in `getenv`.
    static var variables: [String: String] {
        var variables: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            next += 1
            guard let equals = text.firstIndex(of: "=") else { continue }
            let name = String(text[..<equals])
            if variables[name] == nil { variables[name] = String(text[text.index(after: equals)...]) }
        }
        return variables
    }

    /// The variables before this program set any: those of its child processes, which receive no proxy and no
    /// password that was given as an option.
    static let inherited = variables

    /// Sets a variable of this process alone.
    static func set(_ name: String, to value: String) {
        _ = inherited
        setenv(name, value, 1)
    }

    static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The working directory as an absolute path; `.` if it no longer exists.
    static var workingDirectory: String {
        guard let path = getcwd(nil, 0) else { return "." }
        defer { free(path) }
        return String(cString: path)
    }
}
