import ArgumentParser
import SegmentedDL
import SegmentedDLQueue

struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the downloads, in queue order.",
        discussion: """
            With --json, one object per line for each download: id, position, source, destination, path, state, \
            priority, bytesCompleted, bytesTotal, bytesPerSecond, secondsRemaining, error and others. A member \
            without a value is omitted.
            """)

    @OptionGroup var target: QueueTarget

    @Flag(help: "JSON lines.")
    var json = false

    @Option(help: "Only downloads in this state; may be repeated.")
    var state: [DownloadState] = []

    mutating func run() async throws {
        try await target.withClient { [self] client in
            var (position, hasHeader) = (0, false)
            // Programs accept lines of any length, and need no column names.
            let columns = !json && Terminal.isTerminal(1) ? Terminal.size(of: 1).columns : nil
            var text = ""
            try await client.forEachReceipt { (receipt) throws(DownloadError) in
                defer { position += 1 }
                guard state.isEmpty || state.contains(receipt.state) else { return }
                if json {
                    text += try QueueJSON.line(receipt, position: position)
                } else {
                    if columns != nil, !hasHeader {
                        hasHeader = true
                        text += Self.cut(QueueTable.header, to: columns) + "\n"
                    }
                    text += Self.cut(QueueTable.line(receipt), to: columns) + "\n"
                }
                guard text.utf8.count >= Self.chunkBytes else { return }
                TextOutput.standardOutput.write(text)
                text = ""
            }
            TextOutput.standardOutput.write(text)
            if position == 0, !json { StandardError.write("The queue is empty.\n") }
        }
    }

    private static func cut(_ line: String, to columns: Int?) -> String {
        columns.map { TextWidth.shortened(line, to: $0) } ?? line
    }

    /// The buffer length at which the text of a long list is written.
    private static let chunkBytes = 65_536
}
