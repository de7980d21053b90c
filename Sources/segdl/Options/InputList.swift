internal import SegmentedDL

/// A list of files in aria2's format (aria2c(1), "Input File"): each line contains a URL, or several URLs of
/// one file separated by tabs; indented options follow. Blank lines, lines that begin with #, and the rest of
/// a line of URLs behind a blank and a # are ignored.
enum InputList {
    /// A file from a line of the list, or from the command line.
    struct File: Equatable, Sendable {
        /// In order of preference; at least one.
        var urls: [String]
        /// The line number, from 1; 0 for the command line.
        var line = 0
        var options = InputOptions()
    }

    /// A file, or an invalid line, whose file is not used either.
    enum Entry: Equatable, Sendable {
        case file(File)
        case wrong(String, line: Int)

        var line: Int {
            switch self {
            case .file(let file): file.line
            case .wrong(_, let line): line
            }
        }
    }

    static func parse(_ text: String) -> [Entry] {
        var parser = Parser()
        return parser.parse(withoutMark(text[...])) + parser.finish()
    }

    /// Returns the text without the byte order mark that some editors prepend.
    static func withoutMark(_ text: Substring) -> Substring {
        text.drop { $0 == "\u{feff}" }
    }

    /// A parser of a list in pieces of whole lines.
    struct Parser {
        /// The number of lines so far.
        private(set) var lines = 0
        /// The entry to which further options may belong.
        private var open: Entry?

        /// - Returns: The complete entries.
        mutating func parse(_ text: Substring) -> [Entry] {
            var entries: [Entry] = []
            for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                lines += 1
                let content = InputList.trimmed(line)
                // No option begins like a URL, and wget accepts leading spaces before a URL.
                let isIndented = line.first?.isWhitespace ?? false && !content.hasURLScheme
                if content.isEmpty || content.hasPrefix("#") { continue }
                if isIndented {
                    takeOption(content)
                } else {
                    entries += finish()
                    let urls = InputList.withoutComment(content).split(separator: "\t").map {
                        InputList.trimmed($0)
                    }
                    open = .file(File(urls: urls.filter { !$0.isEmpty }, line: lines))
                }
            }
            return entries
        }

        private mutating func takeOption(_ content: String) {
            switch open {
            case .file(var file):
                do {
                    try file.options.take(content)
                    open = .file(file)
                } catch {
                    open = .wrong(error.reason, line: lines)
                }
            case .wrong: break
            case nil:
                open = .wrong(
                    "an option precedes the first URL; remove the spaces before the URL", line: lines)
            }
        }

        /// - Returns: The last entry.
        mutating func finish() -> [Entry] {
            defer { open = nil }
            return open.map { [$0] } ?? []
        }
    }

    /// Returns the text before a comment. A URL contains no blank, and hardly any is followed by a fragment.
    private static func withoutComment(_ line: String) -> Substring {
        var last: Character = "#"
        for index in line.indices {
            if line[index] == "#", last.isWhitespace { return line[..<index] }
            last = line[index]
        }
        return line[...]
    }

    static func trimmed(_ line: Substring) -> String {
        var rest = line.drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}

extension String {
    /// True if the text begins like a URL of a file, as no option name and hardly any path does.
    var hasURLScheme: Bool {
        LocationScheme(of: lowercased()) != nil
            || ["http://", "https://", "ftp://"].contains { lowercased().hasPrefix($0) }
    }
}
