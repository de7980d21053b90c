import ArgumentParser
import SegmentedDL
internal import SegmentedDLQueue
import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

struct QueueList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show the queue, in its order.",
        discussion: "With --json one object a line for each download; its members are in docs/queue-json.md.")

    @OptionGroup var location: QueueLocation

    @Flag(help: "JSON lines.")
    var json = false

    @Option(help: "Only those in this state; may be repeated.")
    var state: [DownloadState] = []

    mutating func run() async throws {
        try await location.withClient { [self] client in
            var position = 0
            var text = ""
            try await client.forEachReceipt { (receipt) throws(DownloadError) in
                defer { position += 1 }
                guard state.isEmpty || state.contains(receipt.state) else { return }
                text +=
                    json ? try QueueJSON.line(receipt, position: position) : QueueTable.line(receipt) + "\n"
                guard text.utf8.count >= Self.chunk else { return }
                TextOutput.standardOutput.write(text)
                text = ""
            }
            TextOutput.standardOutput.write(text)
            if position == 0, !json { StandardError.write("The queue is empty.\n") }
        }
    }

    /// How many bytes of a long list are written at a time.
    private static let chunk = 65_536
}

extension QueueClient {
    /// Gives the receipts as they are now, in order: from the database, and what runs from the process that has the
    /// queue open.
    fileprivate func forEachReceipt(
        _ body: (Receipt) throws(DownloadError) -> Void
    ) async throws {
        var active: [Receipt.ID: Receipt] = [:]
        if DownloadManager.isOpen(storeAt: store) {
            // A program that takes no instructions still keeps the database up to date, to the second.
            let answer = try await there(.active, patience: .seconds(1))
            for receipt in answer?.receipts ?? [] { active[receipt.id] = receipt }
        } else if !FileManager.default.fileExists(atPath: store.string) {
            return
        }
        try DownloadManager.forEachReceipt(inStoreAt: store) { (receipt) throws(DownloadError) in
            // The database was read later, and may know its end.
            try body(receipt.state.isActive ? active[receipt.id] ?? receipt : receipt)
        }
    }
}
