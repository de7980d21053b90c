import Foundation
import SegmentedDL
import SegmentedDLQueue

/// Shows one line for each download, and one for all.
func show(_ receipts: [Receipt], _ progress: QueueProgress) {
    var text = ""
    for receipt in receipts {
        let name = receipt.path?.lastComponent?.string ?? receipt.source.description
        let done = receipt.fraction.map { "\(Int($0 * 100)) %" } ?? "\(receipt.bytesCompleted) bytes"
        text += "\(receipt.id) \(name): \(receipt.state), \(done)"
        if let error = receipt.error { text += ", \(error.message)" }
        text += "\n"
    }
    let states = progress.counts.map { "\($1) \($0)" }.sorted().joined(separator: ", ")
    text += "\(states); \(Int(progress.bytesPerSecond / 1024)) KiB/s\n"
    // Write at once, because a buffer would be lost if the program is killed.
    FileHandle.standardOutput.write(Data(text.utf8))
}

/// Returns the typed lines.
func typedLines() -> AsyncStream<String> {
    AsyncStream { continuation in
        // Reading blocks, so it has a thread of its own.
        Thread.detachNewThread {
            while let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
    }
}
