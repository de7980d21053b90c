import SegmentedDL
import SegmentedDLQueue
import SystemPackage

/// A queue on this machine, regardless of which process has it open.
struct LocalQueue: QueueClient {
    /// The timeout for a process that has the queue open but does not respond to commands.
    private static let patience = Duration.seconds(5)
    private static let interval = Duration.milliseconds(20)

    let store: FilePath

    var isRunning: Bool { DownloadManager.isOpen(storeAt: store) }

    /// Runs commands in the process that has the queue open, otherwise in this one.
    ///
    /// - Throws: `DownloadError`; `locked` if the queue is open in a program that accepts no commands.
    func send(_ commands: some Sequence<QueueCommand>, replied: (QueueReply) -> Void) async throws {
        var rest = commands.makeIterator()
        var next = rest.next()
        var began = ContinuousClock.now
        while let command = next {
            if case .limit = command, !DownloadManager.isOpen(storeAt: store) {
                throw DownloadError(
                    .invalidSetting,
                    "No queue is running, and caps apply only to a run; set them with segdl queue start.")
            }
            do {
                try await withManager { manager in
                    while let command = next {
                        try Task.checkCancellation()
                        replied(await command.run(on: manager))
                        next = rest.next()
                    }
                }
            } catch let error as DownloadError where error.code == .locked {
                if let reply = try await QueueSocket.send(command, for: store, patience: Self.patience) {
                    replied(reply)
                    next = rest.next()
                    began = .now
                } else if ContinuousClock.now - began >= Self.patience {
                    throw DownloadError(
                        .locked,
                        "The queue '\(store)' is open in a process that does not respond: it is stopped, or is another program. Resume or end that process.",
                        isRetryable: true, cause: error)
                } else {
                    try await Task.sleep(for: Self.interval)
                }
            }
        }
    }

    private func withManager(_ body: (DownloadManager) async throws -> Void) async throws {
        var configuration = ManagerConfiguration(store: store)
        configuration.runsDownloads = false
        // Accept any number, because only the process that runs downloads rejects an excessive one.
        configuration.downloads.limits.connections = 100_000
        configuration.downloads.limits.connectionsPerHost = 100_000
        try await DownloadManager.withManager(configuration, body)
    }

    /// The receipts of running downloads come from the process that has the queue open, all others from the
    /// database.
    func forEachReceipt(_ body: (Receipt) throws(DownloadError) -> Void) async throws {
        var active: [Receipt.ID: Receipt] = [:]
        if DownloadManager.isOpen(storeAt: store) {
            // A program that accepts no commands still updates the database every second.
            let reply = try await QueueSocket.send(.active, for: store, patience: .seconds(1))
            for receipt in reply?.receipts ?? [] { active[receipt.id] = receipt }
        } else if !FileManager.default.fileExists(atPath: store.string) {
            return
        }
        try DownloadManager.forEachReceipt(inStoreAt: store) { (receipt) throws(DownloadError) in
            // The database was read later, and may already contain the final state of the download.
            try body(receipt.state.isActive ? active[receipt.id] ?? receipt : receipt)
        }
    }
}
