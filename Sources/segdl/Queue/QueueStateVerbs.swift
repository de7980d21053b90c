import ArgumentParser

struct QueuePause: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop downloads until they are resumed.",
        discussion: "Returns when their connections are closed and everything is on disk.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.pause, selection.selectors) }
}

struct QueueResume: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume downloads.",
        discussion: """
            A number, URL or key also resumes a failed or cancelled download; `all` selects the paused ones. \
            Nothing runs without `segdl queue start`.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.resume, selection.selectors) }

    func next(_ changed: Int, isRunning: Bool) -> String? {
        if changed == 0 { return "no download is paused; specify a failed or cancelled one by its number." }
        return isRunning ? nil : Self.start
    }

    /// A queue ends when its last download is paused, so it may have been running a moment ago.
    static let start = "this queue is not running; segdl queue start downloads them."
}

struct QueueCancel: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads.",
        discussion:
            "They are kept in the list, and their bytes on disk, until they are resumed or removed.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.cancel, selection.selectors) }
}

struct QueueRestart: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Download files again from the beginning.",
        discussion: """
            A finished file of the queue is replaced when the new one is complete. If it has been changed since, \
            it counts as another file, and --if-exists of add applies.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    var command: QueueCommand { .verb(.restart, selection.selectors) }

    func next(_ changed: Int, isRunning: Bool) -> String? {
        changed == 0 || isRunning ? nil : QueueResume.start
    }
}
