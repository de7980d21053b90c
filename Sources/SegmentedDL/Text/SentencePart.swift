extension String {
    /// The text inside a sentence: "No space left" with a small letter, "I/O error" as it is.
    var lowercasedFirst: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
