import SystemPackage

/// The names of several `--output` options: as in curl, the first one is for the first URL, and so on.
enum OutputNames {
    /// The name for `-O` in combination with `-o`: the server's name, in the common directory.
    static let servers = "./"

    /// True if there are several URLs, each with a name.
    static func arePairs(_ names: [String], urls: Int) -> Bool { urls > 1 && names.count == urls }

    /// Returns a sentence if a command line has several names for one URL; otherwise `nil`.
    ///
    /// - Parameter arguments: The arguments as passed to the parser.
    static func surplus(in arguments: [String], urls: Int) -> String? {
        let options = arguments.prefix { $0 != "--" }
        guard urls == 1, !options.contains("-i"), !options.contains("--input") else { return nil }
        let names = zip(options, options.dropFirst()).filter { ["-o", "--output"].contains($0.0) }.map(\.1)
        let others = names.filter { $0 != servers }
        guard others.count > 1 else { return nil }
        let shown = others.map { TextWidth.printable($0, ascii: false) }.joined(separator: " and ")
        return
            "\(others.count) names are given for one URL (\(shown)). Give --output once, or one URL for each name."
    }

    /// Returns the name for a single URL.
    static func single(_ names: [String]) -> String? { names.last { $0 != servers } ?? names.last }

    /// Returns why the names of several URLs are invalid, as a sentence; `nil` if they are valid. Blocks.
    static func fault(_ names: [String], directory: String?) -> String? {
        let device = names.first { name in
            let path = directory.map { FilePath($0).pushing(FilePath(name)) } ?? FilePath(name)
            return InheritedOutput.descriptor(named: name) != nil || OutputDevice(path) != nil
        }
        return device.map { "--output \(TextWidth.printable($0, ascii: false)) requires exactly one URL." }
    }
}
