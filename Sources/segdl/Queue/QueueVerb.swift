import ArgumentParser
import SegmentedDLQueue

/// A subcommand that sends one command to a queue and reports its result.
protocol QueueVerb: AsyncParsableCommand, Sendable {
    var target: QueueTarget { get }
    var command: QueueCommand { get }
    /// Returns the lines for a reply without downloads.
    func lines(_ reply: QueueReply) -> [String]
    /// Returns the sentence after a command that changed this many downloads; `nil` for none.
    ///
    /// - Parameter isRunning: True if a process is running the queue's downloads.
    func next(_ changed: Int, isRunning: Bool) -> String?
    /// Returns the line for a download in the reply.
    func line(_ receipt: Receipt, of reply: QueueReply) -> String
}

extension QueueVerb {
    func lines(_ reply: QueueReply) -> [String] { [] }

    func next(_ changed: Int, isRunning: Bool) -> String? { nil }

    func line(_ receipt: Receipt, of reply: QueueReply) -> String { QueueTable.line(receipt) }

    mutating func run() async throws {
        try await target.withClient { [self] client in
            var report = ReplyReport()
            var changed = 0
            try await client.send([command]) { reply in
                report.add(reply) { line($0, of: reply) }
                TextOutput.standardOutput.write(lines(reply).map { $0 + "\n" }.joined())
                changed += reply.receipts.count
            }
            try report.end()
            if let next = next(changed, isRunning: client.isRunning) {
                StandardError.write("segdl: \(next)\n")
            }
        }
    }
}
