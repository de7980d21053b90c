import ArgumentParser
import SegmentedDL

struct QueueLimit: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Change the caps of a queue that runs.",
        discussion: "They hold until it ends; the next start has its own.")
    @OptionGroup var target: QueueTarget
    @Option(name: [.customShort("x"), .long], help: "Connections in total.")
    var maxConnections: Int?
    @Option(help: "Connections to one host and port.")
    var maxConnectionsPerHost: Int?
    @Option(name: [.customShort("j"), .long], help: "Files at the same time: a number, or auto.")
    var maxActiveFiles: FileCount?
    @Option(help: ArgumentHelp("Bytes per second over all files; 0 for no limit.", valueName: "rate"))
    var limitRate: ByteSize?

    func validate() throws {
        if maxConnections == nil, maxConnectionsPerHost == nil, maxActiveFiles == nil, limitRate == nil {
            throw ValidationError("Name a cap to change, such as --limit-rate 5M or --max-active-files 2.")
        }
    }

    var done: String? { "the queue has these caps until it ends." }

    var command: QueueCommand {
        .limit(
            QueueCommand.LimitChange(
                activeFiles: maxActiveFiles?.description, connections: maxConnections,
                connectionsPerHost: maxConnectionsPerHost, rate: limitRate?.bytes))
    }
}
