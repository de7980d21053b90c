import ArgumentParser
import SegmentedDL
import SegmentedDLQueue

/// The report of the replies to a command, and the resulting exit status.
struct ReplyReport {
    private var succeeded = 0
    private var failed: [Int32] = []

    /// Writes the receipts to standard output, and the errors of other downloads to standard error.
    mutating func add(_ reply: QueueReply, line: (Receipt) -> String) {
        TextOutput.standardOutput.write(reply.receipts.map { line($0) + "\n" }.joined())
        succeeded += reply.receipts.count
        for failure in reply.failures { add(failure) }
    }

    mutating func add(_ failure: QueueReply.Failure) {
        StandardError.write("segdl: \(failure.message)\n")
        failed.append(failure.exitStatus)
    }

    /// - Throws: `ExitCode` if a download failed.
    func end() throws {
        guard let first = failed.first else { return }
        throw ExitCode(failed.count == 1 && succeeded == 0 ? first : 1)
    }
}
