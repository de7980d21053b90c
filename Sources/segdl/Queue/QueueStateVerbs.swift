import ArgumentParser

struct QueuePause: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop downloads until they are resumed.",
        discussion: "Returns when their connections are closed and everything is on the disk.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.pause, selection.selectors) }
}

struct QueueResume: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume downloads.",
        discussion: """
            A number, URL or key also resumes a failed or cancelled download; `all` means the paused ones. \
            Nothing runs without `segdl queue start`.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.resume, selection.selectors) }

    func next(_ changed: Int, isRunning: Bool) -> String? {
        if changed == 0 { return "no download is paused; name a failed or cancelled one by its number." }
        return isRunning ? nil : Self.start
    }

    /// A queue whose last download is paused ends, so it may have run a moment ago.
    static let start = "this queue is not running; segdl queue start downloads them."
}

struct QueueCancel: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads.",
        discussion:
            "They are kept in the list, and their bytes on the disk, until they are resumed or removed.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.cancel, selection.selectors) }
}

struct QueueRestart: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Download files again, from zero.",
        discussion: """
            A file that the queue had finished is replaced when the new one is complete. If it was changed since, \
            it is another file, and --if-exists of add decides.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.restart, selection.selectors) }

    func next(_ changed: Int, isRunning: Bool) -> String? {
        changed == 0 || isRunning ? nil : QueueResume.start
    }
}
