import SegmentedDL
import SegmentedDLOptions

/// The output of --version and --help.
enum Aria2Help {
    /// The emulated release of aria2.
    private static let release = "1.36.0"

    /// Returns the output; `nil` if the arguments request none.
    static func answer(to arguments: Aria2Arguments) -> String? {
        for given in arguments.options {
            if given.option.name == "version" { return version }
            if given.option.name == "help" { return help(given.value) }
        }
        return nil
    }

    /// Programs parse the first line, and the features.
    private static var version: String {
        """
        aria2 version \(release)
        This is segdl \(Version.current) with aria2's command line.

        ** Configuration **
        Enabled Features: Async DNS, GZip, HTTPS, Message Digest
        Hash Algorithms: sha-1, sha-224, sha-256, sha-384, sha-512, md5
        Libraries: libcurl/\(Version.libcurl) \(Version.openSSL)

        """
    }

    /// - Parameter word: A substring of the names to show. A tag, which begins with #, selects all options.
    private static func help(_ word: String) -> String {
        let options = Aria2Options.all.filter {
            word.isEmpty || word.hasPrefix("#") || $0.name.contains(word)
        }
        let lines = options.sorted { $0.name < $1.name }.map { " \(line(of: $0))\n" }.joined()
        return """
            Usage: aria2c [OPTIONS] URI...
            Options:
            \(lines)
            Refer to aria2's manual, aria2c(1).

            """
    }

    private static func line(of option: Aria2Option) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        let value =
            switch option.kind {
            case .flag: "[=true|false]"
            case .optional: "[=VALUE]"
            case .command: ""
            default: "=VALUE"
            }
        let remark =
            switch option.scope {
            case .file, .run, .daemon: ""
            case .nothing: "  (no effect here)"
            case .missing: "  (not supported by segdl)"
            }
        return "\(short)--\(option.name)\(value)\(remark)"
    }
}
