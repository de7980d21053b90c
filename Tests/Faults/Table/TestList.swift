import Foundation

/// The tests of this package by the names `Suite/function`, as found in the sources.
enum TestList {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter folder: Relative to the package.
    static func names(in folder: String) throws -> Set<String> {
        let folder = root.appendingPathComponent(folder)
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var names: Set<String> = []
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            try names.formUnion(Self.names(inSource: String(contentsOf: file, encoding: .utf8)))
        }
        return names
    }

    private static func names(inSource text: String) -> Set<String> {
        var names: Set<String> = []
        var suite: Substring = ""
        var isTest = false
        for line in text.split(separator: "\n").map({ $0.drop { $0 == " " } }) {
            if line.hasPrefix("@Test") { isTest = true }
            if let type = word(after: ["struct ", "@Suite struct ", "extension ", "final class "], in: line),
                type.hasSuffix("Tests")
            {
                suite = type
            }
            guard isTest, let function = word(after: ["func "], in: line) else { continue }
            names.insert("\(suite)/\(function)")
            isTest = false
        }
        return names
    }

    private static func word(after keywords: [String], in line: Substring) -> Substring? {
        guard let keyword = keywords.first(where: { line.hasPrefix($0) }) else { return nil }
        return line.dropFirst(keyword.count).prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    }
}
