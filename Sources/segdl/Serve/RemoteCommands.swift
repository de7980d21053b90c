import SegmentedDL
import SegmentedDLQueue
import SegmentedDLServer
import SystemPackage

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The commands of `segdl queue --remote`, inside the daemon's fence: a caller elsewhere may not do all that
/// the owner of this machine may.
struct RemoteCommands: Sendable {
    let downloads: Downloads

    /// - Parameter body: A `QueueCommand` in JSON.
    /// - Returns: The `QueueReply` in JSON; `nil` for a command that is not known.
    func answer(_ body: [UInt8]) async -> [UInt8]? {
        guard let command = try? JSONDecoder().decode(QueueCommand.self, from: Data(body)) else { return nil }
        let reply = await reply(to: command)
        return (try? JSONEncoder().encode(reply)).map(Array.init)
    }

    private func reply(to command: QueueCommand) async -> QueueReply {
        var reply = QueueReply()
        switch command {
        case .add(let wanted):
            for download in wanted {
                do {
                    reply.receipts.append(try await add(download))
                } catch {
                    reply.failures.append(QueueReply.Failure(error))
                }
            }
        case .remove(let selectors, let withFiles):
            await reply.remove(selectors, of: downloads.manager) { selection in
                if withFiles {
                    for receipt in try await downloads.manager.receipts(selection) {
                        try downloads.fence.check(receipt.destination)
                    }
                }
                return try await downloads.remove(selection, withFiles: withFiles)
            }
        case .active, .list, .verb, .move, .setURL, .setPriority, .limit:
            return await command.run(on: downloads.manager)
        }
        return reply
    }

    private func add(_ download: NewDownload) async throws -> Receipt {
        if let option = download.optionOfOwner {
            throw DownloadError(
                .invalidSetting,
                "\(option) is for a queue of this machine, and not for a daemon's; leave it out.")
        }
        let receipt = try await downloads.add(
            [download.url], download.jobOptions, expectedTypes: download.expectedTypes ?? [])
        guard download.priority != 0 else { return receipt }
        try await downloads.manager.setPriority(download.priority, of: .id(receipt.id))
        return await downloads.manager.receipt(receipt.id) ?? receipt
    }
}

extension NewDownload {
    /// The first option that only the owner of the daemon's machine may give; `nil` if there is none.
    fileprivate var optionOfOwner: String? {
        if onComplete != nil { return "--on-complete" }
        // A daemon knows its downloads by keys of its own.
        if key != nil { return "--key" }
        if naming != .server, naming != .finalURL { return "--naming" }
        if !verifiesServerDigest { return "--no-server-digest" }
        if checksums.count > 1 { return "A second --checksum" }
        if ifExists == .skip { return "--if-exists skip" }
        return nil
    }

    /// The options of aria2 that the daemon keeps for the download.
    fileprivate var jobOptions: [String: [String]] {
        var options: [String: [String]] = [:]
        switch destination {
        case .directory(let path) where path.string != ".": options["dir"] = [path.string]
        case .file(let path):
            let directory = path.removingLastComponent()
            if !directory.isEmpty { options["dir"] = [directory.string] }
            options["out"] = path.lastComponent.map { [$0.string] }
        default: break
        }
        options["checksum"] = checksums.first.map { [$0.description] }
        if case .fixed(let count) = segments { options["split"] = [String(count)] }
        options["max-download-limit"] = rate.map { [String($0)] }
        options["pause"] = startsPaused ? ["true"] : nil
        switch ifExists {
        case .rename, .skip: break
        case .fail: options["auto-file-renaming"] = ["false"]
        case .replace: options["allow-overwrite"] = ["true"]
        case .update: options["conditional-get"] = ["true"]
        }
        return options
    }
}
