import ArgumentParser
import SegmentedDL
import SegmentedDLQueue

/// A subcommand that sends one command to a queue and reports its result.
protocol QueueVerb: AsyncParsableCommand, Sendable {
    var target: QueueTarget { get }
    var command: QueueCommand { get }
    /// The sentence after a command whose reply names no download; `nil` for others.
    var done: String? { get }
    /// Returns the line for a download of the reply.
    func line(_ receipt: Receipt) -> String
}

extension QueueVerb {
    var done: String? { nil }

    func line(_ receipt: Receipt) -> String { QueueTable.line(receipt) }

    mutating func run() async throws {
        try await target.withClient { [self] client in
            var report = ReplyReport()
            try await client.send([command]) { report.add($0, line: line) }
            try report.end()
            if let done { StandardError.write("segdl: \(done)\n") }
        }
    }
}
