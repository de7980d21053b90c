/// A list of URLs, one a line, or several of one file with tabs between them; blank lines and lines that begin with # are left out.
enum InputList {
    /// A line that names a file, or one that cannot be used.
    enum Entry: Equatable, Sendable {
        case url(String, line: Int)
        /// Several sources of one file, the preferred one first.
        case mirrored([String], line: Int)
        case wrong(String, line: Int)
    }

    static func parse(_ text: String) -> [Entry] {
        var number = 0
        return parse(withoutMark(text[...]), after: &number)
    }

    /// Without a byte order mark, as some editors put in front.
    static func withoutMark(_ text: Substring) -> Substring {
        text.drop { $0 == "\u{feff}" }
    }

    /// - Parameter number: How many lines there were before; the lines of this text are added.
    static func parse(_ text: Substring, after number: inout Int) -> [Entry] {
        var entries: [Entry] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let isIndented = line.first?.isWhitespace ?? false
            let content = trimmed(line)
            if content.isEmpty || content.hasPrefix("#") { continue }
            if isIndented {
                entries.append(
                    .wrong("options for a single URL ('\(content)') are not supported", line: number))
            } else if content.contains("\t") {
                let urls = content.split(separator: "\t").map { trimmed($0) }.filter { !$0.isEmpty }
                entries.append(.mirrored(urls, line: number))
            } else {
                entries.append(.url(content, line: number))
            }
        }
        return entries
    }

    private static func trimmed(_ line: Substring) -> String {
        var rest = line.drop(while: \.isWhitespace)
        while let last = rest.last, last.isWhitespace { rest.removeLast() }
        return String(rest)
    }
}
