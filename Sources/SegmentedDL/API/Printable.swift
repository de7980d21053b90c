/// Makes external text safe for messages.
package enum Printable {
    /// Returns the text without control characters, short enough for one line.
    ///
    /// - Parameter longest: The maximum number of scalars, after which the text is truncated.
    package static func text(_ text: some StringProtocol, longest: Int = 200) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars.prefix(longest) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: result.append("·")
            default: result.append(scalar)
            }
        }
        return String(result) + (text.unicodeScalars.dropFirst(longest).isEmpty ? "" : "…")
    }

    /// Rejects a location with a login before its host, without showing the login.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package static func checkNoLogin(in location: String) throws(DownloadError) {
        let rest = location.firstRange(of: "://").map { location[$0.upperBound...] } ?? location[...]
        guard rest.prefix(while: { $0 != "/" }).contains("@") else { return }
        throw DownloadError(
            .invalidURL,
            "The location has a user name before its host; remove it, and supply the login as documented for this kind of location."
        ).remedied(by: .login)
    }
}

extension String {
    /// The text for use within a sentence: "No space left" begins in lower case, "I/O error" is unchanged.
    var lowercasedFirst: String {
        guard let second = dropFirst().first, second.isLowercase else { return self }
        return prefix(1).lowercased() + dropFirst()
    }
}
