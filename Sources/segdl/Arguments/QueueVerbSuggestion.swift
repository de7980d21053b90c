import ArgumentParser

/// The message for a word after `segdl queue` that is not a verb.
enum QueueVerbSuggestion {
    private static let habits = [
        "ls": "list", "status": "list", "show": "list", "info": "list", "ps": "list", "tell": "list",
        "rm": "remove", "delete": "remove", "del": "remove", "purge": "clear", "clean": "clear",
        "stop": "pause", "hold": "pause", "unpause": "resume", "continue": "resume", "retry": "resume",
        "run": "start", "go": "start", "begin": "start", "daemon": "start", "abort": "cancel",
        "kill": "cancel", "redo": "restart", "up": "move", "down": "move", "top": "move", "mv": "move",
        "push": "add", "fetch": "add", "get": "add", "download": "add", "speed": "limit",
        "throttle": "limit", "edit": "set", "change": "set",
    ]

    /// - Returns: `nil` for a verb, or an argument that is not a word.
    static func sentence(_ word: String) -> String? {
        let verbs = Queue.configuration.subcommands.compactMap { $0.configuration.commandName }
        guard !word.hasPrefix("-"), !verbs.contains(word) else { return nil }
        let isURL = word.hasURLScheme
        let near = isURL ? "add" : habits[word] ?? SpellingDistance.nearest(to: word, in: verbs)
        let shown = TextWidth.printable(word, ascii: false)
        return (isURL ? "segdl queue needs a verb" : "'\(shown)' is not a verb of segdl queue")
            + (near.map { "; did you mean segdl queue \($0)?" } ?? ".")
            + " The verbs are \(verbs.dropLast().joined(separator: ", ")) and \(verbs.last ?? "")."
    }
}
