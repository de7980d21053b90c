extension String {
    /// The text within a sentence: "No space left" with a lower-case letter, "I/O error" unchanged.
    var lowercasedFirst: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
