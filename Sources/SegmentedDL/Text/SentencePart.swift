extension String {
    /// The text for use within a sentence: "No space left" begins in lower case, "I/O error" is unchanged.
    var lowercasedFirst: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
