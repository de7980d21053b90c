import ArgumentParser
import SegmentedDL
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
            let all = try await client.receipts()
            let shown = all.enumerated().filter { state.isEmpty || state.contains($0.element.state) }
            if json {
                let lines = try shown.map { try QueueJSON.line($0.element, position: $0.offset) }
                return TextOutput.standardOutput.write(lines.joined())
            }
            let lines = shown.map { QueueTable.line($0.element) + "\n" }
            TextOutput.standardOutput.write(lines.joined())
            if all.isEmpty { StandardError.write("The queue is empty.\n") }
        }
    }
}

extension QueueClient {
    /// The receipts as they are now: from the process that has the queue open, or else from the database.
    fileprivate func receipts() async throws -> [Receipt] {
        guard DownloadManager.isOpen(storeAt: store) else {
            guard FileManager.default.fileExists(atPath: store.string) else { return [] }
            return try DownloadManager.receipts(inStoreAt: store)
        }
        // A program that takes no instructions still keeps the database up to date, to the second.
        guard let answer = try await there(.list, patience: .seconds(1)) else {
            return try DownloadManager.receipts(inStoreAt: store)
        }
        return answer.receipts
    }
}
