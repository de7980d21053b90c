import SystemPackage

/// The configuration file of a run.
enum ConfigurationFile: Equatable, Sendable {
    /// The user's file, if it exists.
    case usual
    case named(String)
    /// Neither a file nor SEGDL_OPTIONS: only the command line.
    case ignored

    private static let longest = 1024 * 1024

    /// Removes `--conf FILE` and `--no-conf` from the arguments, because all subcommands accept them. The
    /// last one applies. aria2 calls the former `--conf-path`.
    ///
    /// - Throws: `UsageFault` for `--conf` without a file.
    static func take(from arguments: inout [String]) throws(UsageFault) -> ConfigurationFile {
        var choice = ConfigurationFile.usual
        var others: [String] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let name = argument.prefix { $0 != "=" }
            switch name {
            case "--":
                others.append(argument)
                others += rest
                rest = []
            case "--no-conf": choice = .ignored
            case "--conf", "--conf-path":
                let attached = argument.count > name.count ? String(argument.dropFirst(name.count + 1)) : nil
                guard let file = attached ?? rest.popFirst(), !file.isEmpty else {
                    throw UsageFault(reason: "\(name) needs a file.")
                }
                choice = .named(file)
            default: others.append(argument)
            }
        }
        arguments = others
        return choice
    }

    /// Returns the path of the user's file (XDG Base Directory Specification).
    static func usualPath(_ variable: (String) -> String?) -> String? {
        if let base = variable("XDG_CONFIG_HOME"), base.hasPrefix("/") { return "\(base)/segdl/config" }
        guard let home = variable("HOME"), !home.isEmpty else { return nil }
        return "\(home)/.config/segdl/config"
    }

    /// Returns the path of the file; `nil` for none.
    func path(_ variable: (String) -> String?) -> String? {
        switch self {
        case .ignored: nil
        case .named(let file): file
        case .usual: Self.usualPath(variable)
        }
    }

    /// Reads the file.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    /// - Returns: Its options; none if the user's file cannot be read.
    /// - Throws: `UsageFault` if an explicitly named file cannot be read, or a line is not an option.
    func options(_ variable: (String) -> String?) throws(UsageFault) -> [StoredOption] {
        guard let path = path(variable) else { return [] }
        let text: String
        do {
            text = try TextFile.read(path, atMost: Self.longest)
        } catch is TextFile.TooLong {
            throw UsageFault(reason: "The configuration file '\(path)' is longer than 1 MiB.")
        } catch {
            if self == .usual { return [] }
            throw UsageFault(reason: "Cannot read the configuration file '\(path)': \(error).")
        }
        return try StoredOption.parse(file: text, name: path, home: variable("HOME"))
    }

    /// Returns a sentence about the user's file if it may exist but cannot be read: a service may run with
    /// another user's HOME, whose settings are not meant for it. Blocks.
    func notice(_ variable: (String) -> String?) -> String? {
        guard self == .usual, let path = path(variable) else { return nil }
        do {
            try FileDescriptor.open(FilePath(path), .readOnly, options: .closeOnExec).close()
            return nil
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return nil
        } catch {
            return
                "The configuration file '\(path)' is ignored, because it cannot be read: \(error). --no-conf skips it."
        }
    }
}
