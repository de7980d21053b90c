import ArgumentParser
import SegmentedDL
import SegmentedDLOptions

struct QueueLimit: QueueVerb {
    static let configuration = CommandConfiguration(
        commandName: "limit",
        abstract: "Show or change the caps of a running queue.",
        discussion:
            """
            Without options, shows the caps. A change also applies to later starts, until the cap is changed again or a start \
            sets it to a value other than the one that was changed.
            """)
    @OptionGroup var target: QueueTarget
    @Option(name: [.customShort("x"), .long], help: "Connections in total.")
    var maxConnections: Int?
    @Option(help: "Connections to one host and port.")
    var maxConnectionsPerHost: Int?
    @Option(name: [.customShort("j"), .long], help: "Simultaneous files: a number, or auto.")
    var maxActiveFiles: FileCount?
    @Option(help: ArgumentHelp("Bytes per second over all files; 0 for no limit.", valueName: "rate"))
    var limitRate: ByteSize?

    private var changes: Bool {
        maxConnections != nil || maxConnectionsPerHost != nil || maxActiveFiles != nil || limitRate != nil
    }

    func lines(_ reply: QueueReply) -> [String] {
        guard let limits = reply.limits else { return [] }
        return Self.lines(limits)
    }

    /// Returns the caps by option, one per line.
    static func lines(_ limits: Limits) -> [String] {
        [
            "max-active-files = \(limits.activeFiles)", "max-connections = \(limits.connections)",
            "max-connections-per-host = \(limits.connectionsPerHost)",
            "limit-rate = \(limits.rate.map { "\($0)" } ?? "0")"
                + (limits.rate.map { " (\(ByteFormat.speed(Double($0))))" } ?? " (no limit)"),
        ]
    }

    func next(_ changed: Int, isRunning: Bool) -> String? {
        changes ? "the queue now has these caps." : nil
    }

    var command: QueueCommand {
        .limit(
            QueueCommand.LimitChange(
                activeFiles: maxActiveFiles?.description, connections: maxConnections,
                connectionsPerHost: maxConnectionsPerHost, rate: limitRate?.bytes))
    }
}
