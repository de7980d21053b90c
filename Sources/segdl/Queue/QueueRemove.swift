import ArgumentParser
import SegmentedDL
import SegmentedDLQueue
internal import SystemPackage

struct QueueRemove: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove downloads from the queue.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var target: QueueTarget
    @Flag(help: "Also remove their files, finished or not.")
    var deleteFiles = false
    var command: QueueCommand { .remove(selection.selectors, withFiles: deleteFiles) }

    func line(_ receipt: Receipt, of reply: QueueReply) -> String {
        let rest = reply.leftovers?[receipt.id].map { "  (\($0.sentence))" }
        return QueueTable.line(receipt, as: "removed") + (rest ?? "")
    }
}

extension Leftovers {
    fileprivate var sentence: String {
        [
            unfinished.map { "its unfinished file was kept as '\($0)'; delete it" },
            rejected.map { "'\($0)' was kept although its digest is wrong; delete it" },
        ].compactMap(\.self).joined(separator: "; ")
    }
}

struct QueueClear: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove finished downloads from the list; files are kept.",
        discussion: "Removes complete downloads, or those selected by --failed and --cancelled.")
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

    func line(_ receipt: Receipt, of reply: QueueReply) -> String {
        QueueTable.line(receipt, as: "removed")
    }
}
