/// Makes text from outside fit for messages.
package enum Printable {
    /// Returns the text without control characters, and short enough for a line.
    ///
    /// - Parameter longest: The number of scalars from which on the text is cut.
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

    /// Refuses a login in the host's part of a location, and shows none of it.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package static func checkNoLogin(in location: String) throws(DownloadError) {
        let rest = location.firstRange(of: "://").map { location[$0.upperBound...] } ?? location[...]
        guard rest.prefix(while: { $0 != "/" }).contains("@") else { return }
        throw DownloadError(
            .invalidURL,
            "The location has a user name in front of its host; leave it out, and give the login by --user or as the documentation of its kind says."
        )
    }
}
