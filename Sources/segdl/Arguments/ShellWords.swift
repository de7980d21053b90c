/// Splits text into words as a shell does: at spaces, with quotes and backslashes.
enum ShellWords {
    /// Returns a word in shell notation: quoted if necessary.
    static func quoted(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2b...0x2f, 0x3a, 0x3d, 0x40, 0x5f: true
                default: byte >= 0x80
                }
            }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }

    /// - Throws: `UsageFault` for an unclosed quote.
    static func split(_ text: String) throws(UsageFault) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                // Empty quotes form an empty word.
                word = word ?? ""
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else { throw UsageFault(reason: "a quote is not closed") }
        return words + [word].compactMap { $0 }
    }
}
