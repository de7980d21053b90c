extension ShellWords {
    /// Splits text into words as a shell does: at spaces, with quotes and backslashes.
    ///
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
