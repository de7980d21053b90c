import SystemPackage

/// The names of several `--output` options: as with curl, the first one is for the first URL, and so on.
enum OutputNames {
    /// The name for `-O` beside `-o`: the server's, in the directory of all files.
    static let servers = "./"

    /// True if there are several URLs, and a name for each.
    static func arePairs(_ names: [String], urls: Int) -> Bool { urls > 1 && names.count == urls }

    /// Returns a sentence if a command line has several names for one URL; `nil` if it has not.
    ///
    /// - Parameter arguments: As the parser gets them.
    static func surplus(in arguments: [String], urls: Int) -> String? {
        let options = arguments.prefix { $0 != "--" }
        guard urls == 1, !options.contains("-i"), !options.contains("--input") else { return nil }
        let names = zip(options, options.dropFirst()).filter { ["-o", "--output"].contains($0.0) }.map(\.1)
        let others = names.filter { $0 != servers }
        guard others.count > 1 else { return nil }
        let shown = others.map { TextWidth.printable($0, ascii: false) }.joined(separator: " and ")
        return "One URL has \(others.count) names (\(shown)). Give --output once, or a URL for each name."
    }

    /// Returns the name for a single URL.
    static func single(_ names: [String]) -> String? { names.last { $0 != servers } ?? names.last }

    /// Returns why the names of several URLs cannot be used, as a sentence; `nil` if they can. Blocks.
    static func fault(_ names: [String], directory: String?) -> String? {
        let device = names.first { name in
            let path = directory.map { FilePath($0).pushing(FilePath(name)) } ?? FilePath(name)
            return InheritedOutput.descriptor(named: name) != nil || OutputDevice(path) != nil
        }
        return device.map { "--output \(TextWidth.printable($0, ascii: false)) is for exactly one URL." }
    }
}
