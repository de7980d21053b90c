/// The words of a text, as a shell separates them: by blanks, with quotes and backslashes.
enum ShellWords {
    /// - Throws: `UsageFault` if a quote has no end.
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
                // Quotes with nothing in between are an empty word.
                word = word ?? ""
            } else if character.isWhitespace {
                if let word { words.append(word) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        guard quote == nil, !isEscaped else { throw UsageFault(reason: "a quote has no end") }
        return words + [word].compactMap { $0 }
    }
}
