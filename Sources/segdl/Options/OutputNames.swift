import SystemPackage

/// The names of several `--output` options: as with curl, the first one is for the first URL, and so on.
enum OutputNames {
    /// The name for `-O` beside `-o`: the server's, in the directory of all files.
    static let servers = "./"

    /// True if there are several URLs, and a name for each.
    static func arePairs(_ names: [String], urls: Int) -> Bool { urls > 1 && names.count == urls }

    /// Returns the name for a single URL.
    static func single(_ names: [String]) -> String? { names.last { $0 != servers } ?? names.last }

    /// Returns why the names of several URLs cannot be used, as a sentence; `nil` if they can. Blocks.
    static func fault(_ names: [String], directory: String?) -> String? {
        let device = names.first { name in
            let path = directory.map { FilePath($0).pushing(FilePath(name)) } ?? FilePath(name)
            return name == "-" || name == "/dev/stdout" || OutputDevice(path) != nil
        }
        return device.map { "--output \(TextWidth.printable($0, ascii: false)) is for exactly one URL." }
    }
}
