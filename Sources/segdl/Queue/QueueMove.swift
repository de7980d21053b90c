import ArgumentParser

struct QueueMove: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Change the order of the queue.",
        discussion: """
            Running downloads continue; the order applies to the next starts. Give one of --front, --back and \
            --before.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    @Flag(help: "Move before all others.")
    var front = false
    @Flag(help: "Move after all others.")
    var back = false
    @Option(help: ArgumentHelp("Move before this one.", valueName: "select"))
    var before: Selector?

    func validate() throws {
        guard [front, back, before != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --front, --back and --before.")
        }
    }

    var command: QueueCommand {
        let position: QueueCommand.Position = front ? .front : before.map { .before($0) } ?? .back
        return .move(selection.selectors, position)
    }
}
