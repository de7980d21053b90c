import SegmentedDL
import SegmentedDLQueue
import SegmentedDLServer

extension QueueCommand {
    func run(on manager: DownloadManager) async -> QueueReply {
        var reply = QueueReply()
        do {
            try await run(on: manager, &reply)
        } catch {
            reply.failures.append(QueueReply.Failure(error))
        }
        return reply
    }

    private func run(on manager: DownloadManager, _ reply: inout QueueReply) async throws {
        switch self {
        case .active:
            reply.receipts = await manager.activeReceipts
        case .list(let start, let count):
            let ids = await manager.ids(in: Set(DownloadState.allCases)).dropFirst(start).prefix(count)
            reply.receipts = await manager.receipts(of: Array(ids))
        case .add(let entries, let access):
            try await add(entries, access, to: manager, &reply)
        case .verb(let verb, let selectors):
            await reply.collect(selectors) { try await verb.run($0, on: manager) }
        case .remove(let selectors, let withFiles):
            await reply.remove(selectors, of: manager) { try await manager.remove($0, withFiles: withFiles) }
        case .move(let selectors, let position):
            await reply.collect(selectors) { try await manager.receipts($0) }
            // Move all at once; otherwise the first one moved to the front would end up after the others.
            var seen: Set<Receipt.ID> = []
            let ids = Selection.ids(reply.receipts.map(\.id).filter { seen.insert($0).inserted })
            reply.receipts = []
            try await position.move(ids, on: manager)
            reply.receipts = try await manager.receipts(ids)
        case .setURL(let selector, let url):
            let ids = try await manager.receipts(selector.selection).map(\.id)
            guard let id = ids.first, ids.count == 1 else {
                throw DownloadError(
                    .invalidSetting,
                    "A URL can be set for one download, but '\(selector)' selects \(ids.count).")
            }
            let source = try Source(named: url)
            guard !source.hasCredentials else { throw source.credentialsError }
            reply.receipts = [try await manager.setSource(source, of: id)]
        case .setPriority(let selectors, let priority):
            await reply.collect(selectors) { selection in
                try await manager.setPriority(priority, of: selection)
                return try await manager.receipts(selection)
            }
        case .limit(let change):
            try await manager.setLimits(change.applied(to: manager.limits))
            reply.limits = await manager.limits
        }
    }

    private func add(
        _ entries: [QueueEntry], _ access: [Int: StoredAuthorization], to manager: DownloadManager,
        _ reply: inout QueueReply
    ) async throws {
        var storable: [QueueEntry] = []
        for (place, entry) in entries.enumerated() {
            guard access[place] == nil else {
                reply.failures.append(QueueReply.Failure(entry.request.source.credentialsError))
                continue
            }
            storable.append(entry)
        }
        let before = await manager.lastID
        let (results, putBack) = try await manager.addAgain(storable)
        reply.putBack = putBack
        for result in results {
            switch result {
            case .success(let receipt):
                reply.receipts.append(receipt)
                if receipt.id <= before { reply.known.insert(receipt.id) }
            case .failure(let error): reply.failures.append(QueueReply.Failure(error))
            }
        }
    }
}

extension Source {
    /// The error for a queue that would have to store the source's credentials.
    fileprivate var credentialsError: DownloadError {
        DownloadError(
            .invalidURL,
            "\(self): the queue stores no credentials; remove them from the URL, and use --netrc or --user with segdl queue start.",
            url: description)
    }
}

extension QueueCommand.Verb {
    fileprivate func run(_ selection: Selection, on manager: DownloadManager) async throws -> [Receipt] {
        switch self {
        // `all` ignores ended downloads, and does not report them.
        case .pause where selection == .all: try await manager.pause(selection).filter { !$0.state.isFinal }
        case .pause: try await manager.pause(selection)
        // A failed or cancelled download that the user names is restarted; `all` selects the paused ones.
        case .resume where selection != .all: try await manager.start(selection)
        case .resume: try await manager.resume(selection).filter { !$0.state.isFinal }
        case .cancel: try await manager.cancel(selection)
        case .restart: try await manager.restart(selection)
        }
    }
}

extension QueueCommand.Position {
    fileprivate func move(_ selection: Selection, on manager: DownloadManager) async throws {
        switch self {
        case .front: try await manager.moveToFront(selection)
        case .back: try await manager.moveToBack(selection)
        case .before(let other):
            guard let id = try await manager.receipts(other.selection).first?.id else {
                throw DownloadError(.notFound, "No download is '\(other)'.")
            }
            try await manager.move(selection, before: id)
        }
    }
}

extension QueueCommand.LimitChange {
    /// Creates a change of all caps.
    init(_ limits: Limits) {
        self.init(
            activeFiles: limits.activeFiles.description, connections: limits.connections,
            connectionsPerHost: limits.connectionsPerHost, rate: limits.rate ?? 0)
    }

    func applied(to limits: Limits) -> Limits {
        var limits = limits
        limits.activeFiles = activeFiles.flatMap { FileCount(argument: $0) } ?? limits.activeFiles
        limits.connections = connections ?? limits.connections
        limits.connectionsPerHost = connectionsPerHost ?? limits.connectionsPerHost
        if let rate { limits.rate = rate == 0 ? nil : rate }
        return limits
    }
}
