import ArgumentParser
import SegmentedDL

/// A subcommand that sends one command to a queue and reports its result.
protocol QueueVerb: AsyncParsableCommand {
    var location: QueueLocation { get }
    var command: QueueCommand { get }
}

extension QueueVerb {
    mutating func run() async throws {
        let command = command
        try await location.withClient { client in
            var report = ReplyReport()
            try await client.send([command]) { report.add($0) { QueueTable.line($0) } }
            try report.end()
        }
    }
}
