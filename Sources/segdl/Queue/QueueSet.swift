import ArgumentParser

struct QueueSet: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the URL or the priority of a download.",
        discussion:
            "With a new URL, the bytes are kept if it serves the same file, for example after a signed URL has expired."
    )
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    @Option(help: "The new URL, for one download.")
    var url: String?
    @Option(parsing: .unconditional, help: "Downloads with a higher priority start first.")
    var priority: Int?

    func validate() throws {
        guard (url == nil) != (priority == nil) else { throw ValidationError("Give --url or --priority.") }
        if url != nil, selection.selectors.count != 1 {
            throw ValidationError("--url requires one download.")
        }
    }

    var command: QueueCommand {
        if let url { return .setURL(selection.selectors[0], url) }
        return .setPriority(selection.selectors, priority ?? 0)
    }
}
