import ArgumentParser
import SegmentedDL
import SegmentedDLOptions

/// Caps on files, connections and speed.
struct LimitOptions: ParsableArguments {
    // A negative number is parsed as a value, so that the message is better than one about a missing value.

    @Option(
        name: [.customShort("s", allowingJoined: true), .long], parsing: .unconditional,
        help: "Connections for one file: a number, which the caps may reduce, or auto (default: auto).",
        transform: SegmentOption.parsed)
    var segments = SegmentOption.automatic

    @Option(
        name: [.customShort("x", allowingJoined: true), .long], parsing: .unconditional,
        help: "Connections in total (default: 16, or --segments if that is more).")
    var maxConnections: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Connections to one host and port (default: 8, or -x if --segments is a number)."))
    var maxConnectionsPerHost: Int?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long], parsing: .unconditional,
        help: """
            Files at the same time: a number, or auto for four large files and more small ones (default: auto).
            """,
        transform: FileCount.parsed)
    var maxActiveFiles = FileCount.automatic

    @Option(help: "The order in which waiting files start.")
    var queueOrder = QueueOrder.fifo

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Do not split into segments smaller than this, unless a slow connection would delay the end (default: 1MiB).",
            valueName: "size"),
        transform: ByteSize.size)
    var minSegmentSize = ByteSize(bytes: 1024 * 1024)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Bytes per second over all files: 500k, 10MiB; 0 for no limit (default: 0).", valueName: "rate"),
        transform: ByteSize.rate)
    var limitRate: ByteSize?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Bytes per second for each file; 0 for no limit (default: 0).", valueName: "rate"),
        transform: ByteSize.rate)
    var limitRatePerFile: ByteSize?

    /// A larger number is assumed to be a mistake.
    private static let mostSegments = 1000

    func validate() throws {
        guard let count = fixedSegments, count > max(Self.mostSegments, maxConnections ?? 0) else { return }
        throw ValidationError(
            "\(count) segments are too many. -s is not a speed here as it is in axel; for bytes per second, use --limit-rate \(count)."
        )
    }

    private var fixedSegments: Int? {
        if case .fixed(let count) = segments.count { count } else { nil }
    }

    private var connections: Int { maxConnections ?? max(16, fixedSegments ?? 0) }

    private var connectionsPerHost: Int {
        maxConnectionsPerHost ?? (fixedSegments == nil ? Limits().connectionsPerHost : connections)
    }

    func apply(to configuration: inout Configuration) {
        configuration.segments = segments.count
        configuration.minimumSegmentSize = minSegmentSize.bytes
        configuration.limits.activeFiles = maxActiveFiles
        configuration.limits.connections = connections
        configuration.limits.connectionsPerHost = connectionsPerHost
        configuration.limits.queueOrder = queueOrder
        configuration.limits.rate = limitRate?.limit
        configuration.ratePerFile = limitRatePerFile?.limit
    }
}
