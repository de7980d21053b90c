import SegmentedDL
import SegmentedDLQueue
import SegmentedDLServer
import SystemPackage

/// The commands of `segdl queue --remote`, restricted to the daemon's allowed directories, because a remote
/// caller may not do everything that the owner of this machine may.
struct RemoteCommands: Sendable {
    let downloads: Downloads

    /// - Parameter body: A `QueueCommand` in JSON.
    /// - Returns: The `QueueReply` in JSON; `nil` for an unknown command.
    func answer(_ body: [UInt8]) async -> [UInt8]? {
        guard let command = try? JSONDecoder().decode(QueueCommand.self, from: Data(body)) else { return nil }
        let reply = await reply(to: command)
        return (try? JSONEncoder().encode(reply)).map(Array.init)
    }

    private func reply(to command: QueueCommand) async -> QueueReply {
        var reply = QueueReply()
        switch command {
        case .add(let entries, let access):
            await add(entries, access, &reply)
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

    private func add(
        _ entries: [QueueEntry], _ access: [Int: StoredAuthorization], _ reply: inout QueueReply
    ) async {
        var checked: [QueueEntry] = []
        for (place, var entry) in entries.enumerated() {
            do {
                entry.request = try request(of: entry, access[place])
                checked.append(entry)
            } catch {
                reply.failures.append(QueueReply.Failure(error))
            }
        }
        do {
            for result in try await downloads.add(checked) {
                switch result {
                case .success(let receipt): reply.receipts.append(receipt)
                case .failure(let error): reply.failures.append(QueueReply.Failure(error))
                }
            }
        } catch {
            reply.failures.append(QueueReply.Failure(error))
        }
    }

    private func request(of entry: QueueEntry, _ access: StoredAuthorization?) throws -> DownloadRequest {
        if let option = entry.optionOfOwner {
            throw DownloadError(
                .invalidSetting,
                "\(option) applies to a queue on this machine, not to a daemon's; remove it.")
        }
        let usual = try downloads.usualRequest(for: [entry.request.source.url])
        var request = entry.request.completed(by: usual)
        if let access {
            request.headers += access.authorization.headers
            request.credentials = access.authorization.credentials ?? request.credentials
        }
        return request
    }
}

extension QueueEntry {
    /// The first option that only the owner of the daemon's machine may give; `nil` if there is none.
    fileprivate var optionOfOwner: String? {
        if onComplete != nil { return "--on-complete" }
        // A daemon uses its own keys for its downloads.
        if key != nil { return "--key" }
        if request.naming != .server, request.naming != .finalURL { return "--naming" }
        return nil
    }
}

extension DownloadRequest {
    /// Returns the request for a daemon, with the daemon's settings where the caller has none.
    ///
    /// - Parameter usual: The daemon's default request for the URL.
    fileprivate func completed(by usual: DownloadRequest) -> DownloadRequest {
        var request = self
        // A daemon names all files in this way.
        request.naming = usual.naming
        request.makesDirectory = usual.makesDirectory
        request.segments = segments ?? usual.segments
        request.rate = rate ?? usual.rate
        request.tries = tries ?? usual.tries
        request.startsOver = startsOver || ifExists == .replace && usual.startsOver
        request.headers = usual.headers
        request.credentials = usual.credentials
        request.takesOver = takesOver || usual.takesOver
        request.keepsRemoteDate = keepsRemoteDate && usual.keepsRemoteDate
        request.order = order == .fastest ? usual.order : order
        if case .directory(let directory) = usual.destination {
            switch destination {
            case .directory("."): request.destination = .directory(directory)
            case .file(let path) where path.removingLastComponent().isEmpty:
                request.destination = .file(directory.pushing(path))
            default: break
            }
        }
        return request
    }
}
