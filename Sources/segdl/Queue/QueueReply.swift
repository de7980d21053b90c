import SegmentedDL
import SegmentedDLQueue

/// The result of a command to a queue.
struct QueueReply: Codable, Sendable {
    struct Failure: Codable, Sendable {
        var message: String
        var exitStatus: Int32

        init(_ error: any Error) {
            let error = error as? DownloadError
            message = error?.message ?? "It was interrupted."
            exitStatus = error?.exitStatus ?? 130
        }
    }

    var receipts: [Receipt] = []
    /// The downloads among the receipts that were not added because they already existed in the queue.
    var known: Set<Receipt.ID> = []
    /// The existing downloads that were requeued: complete ones, to check their files again, and failed ones,
    /// which still have their error. `nil` from earlier versions, which do not requeue them.
    var putBack: Set<Receipt.ID>?
    /// The remaining files of removed downloads; `nil` from earlier versions, which do not report them.
    var leftovers: [Receipt.ID: Leftovers]?
    /// The caps of the queue, after a change; `nil` from earlier versions, which do not report them.
    var limits: Limits?
    var failures: [Failure] = []

    /// Runs `body` for each selector, and collects the receipts and errors.
    mutating func collect(
        _ selectors: [Selector], _ body: (Selection) async throws -> [Receipt]
    ) async {
        for selector in selectors {
            do {
                receipts += try await body(selector.selection)
            } catch {
                failures.append(Failure(error))
            }
        }
    }

    /// Removes downloads with `removal`, and collects the remaining files.
    mutating func remove(
        _ selectors: [Selector], of manager: DownloadManager,
        _ removal: (Selection) async throws -> [Receipt]
    ) async {
        var leftovers: [Receipt.ID: Leftovers] = [:]
        await collect(selectors) { selection in
            let files = try await manager.leftovers(of: selection)
            let receipts = try await removal(selection)
            let left = await DiskThread.run { files.compactMapValues { $0.present() } }
            leftovers.merge(left) { $1 }
            return receipts
        }
        self.leftovers = leftovers
    }
}
