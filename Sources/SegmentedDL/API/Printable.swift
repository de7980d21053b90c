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
}
