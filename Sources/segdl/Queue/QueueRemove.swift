import ArgumentParser
import SegmentedDL
import SegmentedDLQueue
internal import SystemPackage

struct QueueRemove: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take downloads out of the queue.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    @Flag(help: "Also remove their files, finished or not.")
    var deleteFiles = false
    var command: QueueCommand { .remove(selection.selectors, withFiles: deleteFiles) }

    func line(_ receipt: Receipt) -> String {
        let leaves = !deleteFiles && receipt.state != .completed && receipt.bytesCompleted > 0
        return QueueTable.line(receipt, as: "removed") + (leaves ? "  (\(Self.rest(receipt)))" : "")
    }

    private static func rest(_ receipt: Receipt) -> String {
        let name = receipt.path.map { "as '\($0.string).part'" } ?? "on the disk"
        return "its unfinished file stays \(name); delete it, or remove with --delete-files next time"
    }
}

struct QueueClear: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove finished downloads from the list; files are kept.",
        discussion: "Removes complete downloads, or those that --failed and --cancelled select.")
    @OptionGroup var target: QueueTarget
    @Flag(help: "Remove failed downloads.")
    var failed = false
    @Flag(help: "Remove cancelled downloads.")
    var cancelled = false
    var command: QueueCommand {
        var states = (failed ? [DownloadState.failed] : []) + (cancelled ? [.cancelled] : [])
        if states.isEmpty { states = [.completed] }
        return .remove(states.compactMap { Selector(argument: "state:\($0.rawValue)") }, withFiles: false)
    }

    func line(_ receipt: Receipt) -> String { QueueTable.line(receipt, as: "removed") }
}
