/// The message for an option that took the URL as its value because its own value is missing.
enum MisparsedURL {
    /// - Parameter message: The parser's message, which does not explain this.
    /// - Returns: A sentence; `nil` if no option took the URL.
    static func sentence(for arguments: [String], message: String) -> String? {
        guard let command = NamedCommand(arguments) else { return nil }
        let options = CommandOptions(of: command.type)
        let (given, others) = options.given(in: arguments.dropFirst(command.words.count))
        let taken = given.first { option in
            guard let value = option.value, value.hasURLScheme, !options.takesURL(option.name) else {
                return false
            }
            return others == 0 || message.contains(value)
        }
        // The last one, because a proxy usually comes before the URL.
        let last = given.last { option in
            others == 0 && message.contains(noURL) && options.takesURL(option.name)
                && option.value?.hasURLScheme ?? false
        }
        guard let taken = taken ?? last, let value = taken.value else { return nil }
        let url = TextWidth.printable(value, ascii: false)
        if taken.name == "-s", options.longName(of: "-s") == "--segments" {
            return
                "-s took the URL \(url) as its value, the number of segments. Use -q for curl's -s."
        }
        return
            "\(taken.name) took the URL \(url) as its value. Put the value of \(taken.name) between them, or the URL first."
    }

    /// The beginning of the message for a command line without a URL.
    static let noURL = "Specify a URL"
}
