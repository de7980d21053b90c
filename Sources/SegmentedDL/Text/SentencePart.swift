package import SystemPackage

extension String {
    /// The text inside a sentence: "No space left" with a small letter, "I/O error" as it is.
    var lowercasedFirst: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}

extension FilePath {
    /// The path as a user writes it: without a `./` at its beginning.
    package var shown: String {
        let text = string
        return text.hasPrefix("./") && text.utf8.count > 2 ? String(text.dropFirst(2)) : text
    }
}
