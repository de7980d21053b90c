import ArgumentParser
import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue

/// A subcommand that sends one command to a queue and reports its result.
protocol QueueVerb: AsyncParsableCommand {
    var location: QueueLocation { get }
    var instruction: Instruction { get }
}

extension QueueVerb {
    mutating func run() async throws {
        let instruction = instruction
        try await location.withClient { client in
            var report = AnswerReport()
            try await client.send([instruction]) { report.add($0) { QueueTable.line($0) } }
            try report.end()
        }
    }
}

struct QueuePause: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop downloads until they are resumed.",
        discussion: "Returns when their connections are closed and everything is on the disk.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    var instruction: Instruction { .verb(.pause, selection.selectors) }
}

struct QueueResume: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Resume downloads.",
        discussion: """
            Also failed and cancelled downloads, if they are named; `all` means the paused ones. \
            Nothing runs without `segdl queue start`.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    var instruction: Instruction { .verb(.resume, selection.selectors) }
}

struct QueueCancel: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Cancel downloads.",
        discussion:
            "They stay in the list, and their bytes on the disk, until they are resumed or removed.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    var instruction: Instruction { .verb(.cancel, selection.selectors) }
}

struct QueueRestart: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Download files again, from zero.",
        discussion: "A file that the queue had finished is replaced when the new one is complete.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    var instruction: Instruction { .verb(.restart, selection.selectors) }
}

struct QueueRemove: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Take downloads out of the queue.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    @Flag(help: "Also remove their files, finished or not.")
    var deleteFiles = false
    var instruction: Instruction { .remove(selection.selectors, withFiles: deleteFiles) }
}

struct QueueMove: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "move",
        abstract: "Change the order of the queue.",
        discussion: """
            Downloads that run keep running; the order is that of the next starts. Give one of --front, --back and \
            --before.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    @Flag(help: "Move before all others.")
    var front = false
    @Flag(help: "Move behind all others.")
    var back = false
    @Option(help: ArgumentHelp("Move before this one.", valueName: "select"))
    var before: Selector?

    func validate() throws {
        guard [front, back, before != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --front, --back and --before.")
        }
    }

    var instruction: Instruction {
        let place: Instruction.Place = front ? .front : before.map { .before($0) } ?? .back
        return .move(selection.selectors, place)
    }
}

struct QueueClear: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "clear",
        abstract: "Remove downloads that have ended from the list; files stay.",
        discussion: "Removes complete downloads, or those that --failed and --cancelled select.")
    @OptionGroup var location: QueueLocation
    @Flag(help: "Remove failed downloads.")
    var failed = false
    @Flag(help: "Remove cancelled downloads.")
    var cancelled = false
    var instruction: Instruction {
        var states = (failed ? [DownloadState.failed] : []) + (cancelled ? [.cancelled] : [])
        if states.isEmpty { states = [.completed] }
        return .remove(states.compactMap { Selector(argument: "state:\($0.rawValue)") }, withFiles: false)
    }
}

struct QueueSet: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Change the URL or the priority of a download.",
        discussion:
            "With a new URL the bytes are kept if the file behind it is the same, as after a signed URL expired."
    )
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    @Option(help: "The new URL, for one download.")
    var url: String?
    @Option(help: "Downloads with a higher one start first.")
    var priority: Int?

    func validate() throws {
        guard (url == nil) != (priority == nil) else { throw ValidationError("Give --url or --priority.") }
        if url != nil, selection.selectors.count != 1 { throw ValidationError("--url is for one download.") }
    }

    var instruction: Instruction {
        if let url { return .setURL(selection.selectors[0], url) }
        return .setPriority(selection.selectors, priority ?? 0)
    }
}

struct QueueLimit: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Change the caps of a queue that runs.",
        discussion: "They hold until it ends; the next start has its own.")
    @OptionGroup var location: QueueLocation
    @Option(name: [.customShort("x"), .long], help: "Connections in total.")
    var maxConnections: Int?
    @Option(help: "Connections to one host and port.")
    var maxConnectionsPerHost: Int?
    @Option(name: [.customShort("j"), .long], help: "Files at the same time.")
    var maxActiveFiles: Int?
    @Option(help: ArgumentHelp("Bytes per second over all files; 0 for no limit.", valueName: "rate"))
    var limitRate: ByteSize?

    func validate() throws {
        if maxConnections == nil, maxConnectionsPerHost == nil, maxActiveFiles == nil, limitRate == nil {
            throw ValidationError("Give a cap.")
        }
    }

    var instruction: Instruction {
        .limit(
            Instruction.LimitChange(
                activeFiles: maxActiveFiles, connections: maxConnections,
                connectionsPerHost: maxConnectionsPerHost, rate: limitRate?.bytes))
    }
}

/// The report of the replies to a command, and the exit status that they lead to.
struct AnswerReport {
    private var succeeded = 0
    private var failed: [Int32] = []

    /// Writes the receipts to standard output, and the errors of other downloads to standard error.
    mutating func add(_ answer: Answer, line: (Receipt) -> String) {
        TextOutput.standardOutput.write(answer.receipts.map { line($0) + "\n" }.joined())
        succeeded += answer.receipts.count
        for failure in answer.failures { add(failure) }
    }

    mutating func add(_ failure: Answer.Failure) {
        StandardError.write("segdl: \(failure.message)\n")
        failed.append(failure.exitStatus)
    }

    /// - Throws: `ExitCode` if something failed.
    func end() throws {
        guard let first = failed.first else { return }
        throw ExitCode(failed.count == 1 && succeeded == 0 ? first : 1)
    }
}
