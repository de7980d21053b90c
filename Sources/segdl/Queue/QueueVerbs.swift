import ArgumentParser
import SegmentedDL
internal import SegmentedDLQueue

/// A command that gives one instruction and says what came of it.
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
        abstract: "Let downloads go on.",
        discussion: """
            Also those that failed or were cancelled, if they are named; `all` means those that are paused. \
            Nothing runs without `segdl queue start`.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    var instruction: Instruction { .verb(.resume, selection.selectors) }
}

struct QueueCancel: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Give downloads up.",
        discussion:
            "They stay in the list, and their bytes on the disk: resume goes on, remove takes them away.")
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    var instruction: Instruction { .verb(.cancel, selection.selectors) }
}

struct QueueRestart: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "restart",
        abstract: "Download files anew, from zero.",
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
            What runs goes on running; the order says what begins next. Give one of --front, --back and --before.
            """)
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    @Flag(help: "Before all others.")
    var front = false
    @Flag(help: "Behind all others.")
    var back = false
    @Option(help: ArgumentHelp("Before that one.", valueName: "select"))
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
        abstract: "Take what has ended out of the list; files stay.",
        discussion: "Those that are complete, unless --failed or --cancelled says which.")
    @OptionGroup var location: QueueLocation
    @Flag(help: "Those that failed.")
    var failed = false
    @Flag(help: "Those that were cancelled.")
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
        abstract: "Change a download: its URL, or how urgent it is.",
        discussion:
            "With a new URL the bytes are kept if the file behind it is the same, as when a signed one expired."
    )
    @OptionGroup var selection: SelectorArguments
    @OptionGroup var location: QueueLocation
    @Option(help: "The new URL, for one download.")
    var url: String?
    @Option(help: "Higher goes first.")
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
        abstract: "Change the caps of the queue that runs.",
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
            throw ValidationError("Say what to limit.")
        }
    }

    var instruction: Instruction {
        .limit(
            Instruction.LimitChange(
                activeFiles: maxActiveFiles, connections: maxConnections,
                connectionsPerHost: maxConnectionsPerHost, rate: limitRate?.bytes))
    }
}

/// What answers come to.
struct AnswerReport {
    private var succeeded = 0
    private var failed: [Int32] = []

    /// Writes the receipts to standard output, and why others failed to standard error.
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
