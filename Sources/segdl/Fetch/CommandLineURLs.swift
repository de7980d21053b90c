/// The URLs of a command line.
enum CommandLineURLs {
    /// Returns the URLs without blanks around them, each one once: a second download of the same URL would
    /// want the same file.
    static func distinct(_ texts: [String]) -> [String] {
        var known: Set<String> = []
        return texts.map { InputList.trimmed($0[...]) }.filter { known.insert($0).inserted }
    }
}
