import Foundation

/// The repository's pages, and the code shown in them.
enum Documentation {
    /// A piece of Swift code, in a page or between markers in a source file.
    struct Block {
        /// Its position, for messages.
        var place: String
        var code: String
    }

    /// The modules that have pages.
    static let modules = ["SegmentedDL", "SegmentedDLQueue", "SegmentedDLMirror", "SegmentedDLTesting"]

    static var root: URL {
        var here = URL(fileURLWithPath: #filePath)
        for _ in 0..<5 { here.deleteLastPathComponent() }
        return here
    }

    /// All code shown as this project's. Other code is in blocks with another name, such as `swift-theirs`.
    static func shown() throws -> [Block] {
        let catalogue = try modules.flatMap { try files("Sources/\($0)/\($0).docc", ending: ".md") }
        let readmes = ["README.md", "Examples/README.md"].map { root.appendingPathComponent($0) }
        let pages = try (catalogue + readmes).flatMap { try blocks(inPage: $0) }
        let sources = try modules.flatMap { try files("Sources/\($0)", ending: ".swift") }
        return try pages + sources.flatMap { try blocks(inSource: $0) }
    }

    /// All compiled code: the parts between markers in these tests, and whole files of the examples.
    static func compiled() throws -> [Block] {
        let marked = try files("Tests/EndToEnd", ending: ".swift").flatMap {
            try examples(in: $0)
        }
        var whole = try ["Examples/Sources", "Examples/Tests"].flatMap { try files($0, ending: ".swift") }
            .map { file in Block(place: file.lastPathComponent, code: try text(file)) }
        // There the library is in the parent directory; in a reader's package it is next to it.
        let package = root.appendingPathComponent("Examples/Package.swift")
        whole.append(
            Block(
                place: "Examples/Package.swift",
                code: try text(package).replacing("path: \"..\"", with: "path: \"../SegmentedDL\"")))
        return (marked + whole).map { Block(place: $0.place, code: normalized($0.code)) }
    }

    /// Returns a block without the imports at its head: in a test they are at the head of the file.
    static func withoutImports(_ code: String) -> String {
        let rest = code.split(separator: "\n", omittingEmptySubsequences: false).drop {
            $0.isEmpty || $0.hasPrefix("import ")
        }
        return rest.joined(separator: "\n")
    }

    /// The overview page of a module.
    static func overview(of module: String) throws -> String {
        try text(root.appendingPathComponent("Sources/\(module)/\(module).docc/\(module).md"))
    }

    /// The text of a file of the repository.
    static func text(_ path: String) throws -> String { try text(root.appendingPathComponent(path)) }

    /// The names of a module's top-level public types.
    static func publicTypes(of module: String) throws -> [String] {
        try files("Sources/\(module)", ending: ".swift").flatMap { file in
            try text(file).matches(
                of: /^public (?:final class|actor|enum|struct|protocol|typealias) (\w+)/
                    .anchorsMatchLineEndings()
            ).map { String($0.output.1) }
        }
    }

    private static func files(_ directory: String, ending: String) throws -> [URL] {
        let directory = root.appendingPathComponent(directory)
        return try FileManager.default.subpathsOfDirectory(atPath: directory.path)
            .filter { $0.hasSuffix(ending) }.sorted().map { directory.appendingPathComponent($0) }
    }

    private static func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

    private static func blocks(inPage file: URL) throws -> [Block] {
        var result: [Block] = []
        var lines: [Substring]?
        for line in try text(file).split(separator: "\n", omittingEmptySubsequences: false) {
            if let known = lines {
                lines = line == "```" ? nil : known + [line]
                if line == "```" {
                    result.append(
                        Block(place: file.lastPathComponent, code: normalized(known.joined(separator: "\n"))))
                }
            } else if line == "```swift" {
                lines = []
            }
        }
        return result
    }

    /// Returns the indented code after empty lines in comments of public symbols.
    private static func blocks(inSource file: URL) throws -> [Block] {
        var result: [Block] = []
        var code: [Substring] = []
        var isBelowEmpty = false
        // Further indented lines continue the text of parameters.
        var isEnded = false
        for line in try text(file).split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///     "), !isEnded, isBelowEmpty || !code.isEmpty {
                code.append(line.dropFirst(8))
            } else if line.hasPrefix("/// - ") {
                isEnded = true
            } else if !["///", "#", "@"].contains(where: line.hasPrefix) {
                if !code.isEmpty, line.hasPrefix("public ") {
                    result.append(
                        Block(place: file.lastPathComponent, code: normalized(code.joined(separator: "\n"))))
                }
                code = []
                isEnded = false
            }
            isBelowEmpty = line == "///"
        }
        return result
    }

    /// What is between `// example begins` and `// example ends`.
    private static func examples(in file: URL) throws -> [Block] {
        var result: [Block] = []
        var lines: [Substring]?
        for line in try text(file).split(separator: "\n", omittingEmptySubsequences: false) {
            switch line.drop(while: { $0 == " " }) {
            case "// example begins":
                lines = []
            case "// example ends":
                if let known = lines {
                    result.append(Block(place: file.lastPathComponent, code: known.joined(separator: "\n")))
                }
                lines = nil
            default:
                lines?.append(line)
            }
        }
        return result
    }

    /// Returns the code without common indentation and surrounding empty lines.
    private static func normalized(_ code: String) -> String {
        let lines = code.split(separator: "\n", omittingEmptySubsequences: false)
        let indentation = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
        return lines.map { $0.dropFirst(indentation) }.joined(separator: "\n")
            .trimmingCharacters(in: .newlines)
    }
}
