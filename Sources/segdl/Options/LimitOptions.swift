import ArgumentParser
import SegmentedDL
internal import SegmentedDLQueue

/// Caps on files, connections and speed.
struct LimitOptions: ParsableArguments {
    @Option(name: .shortAndLong, help: "Connections for one file: a number, or auto.")
    var segments = SegmentOption.automatic

    @Option(name: [.customShort("x"), .long], help: "Connections in total.")
    var maxConnections = 16

    @Option(
        help: ArgumentHelp(
            "Connections to one host and port (default: 8, or -x where --segments is a number)."))
    var maxConnectionsPerHost: Int?

    @Option(
        name: [.customShort("j"), .long],
        help: "Files at the same time: a number, or auto for four large files and more small ones.")
    var maxActiveFiles = FileCount.automatic

    @Option(help: "The order in which waiting files start.")
    var queueOrder = QueueOrder.fifo

    @Option(help: ArgumentHelp("Do not split into segments smaller than this.", valueName: "size"))
    var minSegmentSize = ByteSize(bytes: 1024 * 1024)

    @Option(help: ArgumentHelp("Bytes per second over all files: 500k, 10MiB.", valueName: "rate"))
    var limitRate: ByteSize?

    @Option(help: ArgumentHelp("Bytes per second for each file.", valueName: "rate"))
    var limitRatePerFile: ByteSize?

    func validate() throws {
        guard case .fixed(let count) = segments.count, count > maxConnections, maxConnections >= 1 else {
            return
        }
        throw ValidationError(
            "\(count) segments need more than \(maxConnections) connections; add --max-connections \(count).")
    }

    func apply(to configuration: inout Configuration) {
        configuration.segments = segments.count
        configuration.minimumSegmentSize = minSegmentSize.bytes
        configuration.limits.activeFiles = maxActiveFiles
        configuration.limits.connections = maxConnections
        configuration.limits.connectionsPerHost = maxConnectionsPerHost ?? defaultPerHost
        configuration.limits.queueOrder = queueOrder
        configuration.limits.rate = limitRate?.bytes
        configuration.ratePerFile = limitRatePerFile?.bytes
    }

    private var defaultPerHost: Int {
        if case .fixed = segments.count { return maxConnections }
        return Limits().connectionsPerHost
    }
}
