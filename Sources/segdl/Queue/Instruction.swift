import SegmentedDL
internal import SegmentedDLMirror
internal import SegmentedDLQueue
import SystemPackage

/// What a command tells a queue: carried out by the command itself, or by the process that has the queue open.
enum Instruction: Codable, Sendable {
    enum Verb: String, Codable, Sendable {
        case pause, resume, cancel, restart
    }

    enum Place: Codable, Sendable {
        case front, back
        case before(Selector)
    }

    /// Caps to change; the others stay.
    struct LimitChange: Codable, Sendable {
        var activeFiles: Int?
        var connections: Int?
        var connectionsPerHost: Int?
        /// 0 for no limit.
        var rate: Int64?
    }

    /// Asks for the receipts of those that run; all others are in the database.
    case active
    case add([NewDownload])
    case verb(Verb, [Selector])
    case remove([Selector], withFiles: Bool)
    case move([Selector], Place)
    case setURL(Selector, String)
    case setPriority([Selector], Int)
    case limit(LimitChange)
}

/// A download to add, complete in itself: its paths are absolute.
struct NewDownload: Codable, Sendable {
    var url: String
    var destination: DownloadRequest.Destination
    var key: String?
    var makesDirectory = false
    var checksum: Checksum?
    var verifiesServerDigest = true
    var segments: SegmentCount?
    var ifExists = ExistingFilePolicy.fail
    var naming = FileNaming.server
    var rate: Int64?
    var priority = 0
    var onComplete: String?
    var startsPaused = false
    var startsOver = false

    func entry() throws(DownloadError) -> QueueEntry {
        var request = try DownloadRequest(url, to: destination)
        request.makesDirectory = makesDirectory
        request.checksum = checksum
        request.verifiesServerDigest = verifiesServerDigest
        request.segments = segments
        request.ifExists = ifExists
        request.naming = naming
        request.rate = rate
        request.priority = priority
        request.startsOver = startsOver
        try request.source.checkHasNoCredentials()
        var entry = QueueEntry(request, key: key, onComplete: onComplete)
        entry.startsPaused = startsPaused
        return entry
    }
}

extension Source {
    /// - Throws: `DownloadError` with code `invalidURL`, as the queue stores none.
    fileprivate func checkHasNoCredentials() throws(DownloadError) {
        guard !hasNoCredentials else { return }
        throw DownloadError(
            .invalidURL,
            "\(self): the queue stores no credentials; leave them out of the URL, and give --netrc or --user to segdl queue start.",
            url: description)
    }
}

/// What came of an instruction.
struct Answer: Codable, Sendable {
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
    /// Those of them that were to be added, and had been before.
    var known: Set<Receipt.ID> = []
    var failures: [Failure] = []
}

extension Instruction {
    func carryOut(on manager: DownloadManager) async -> Answer {
        var answer = Answer()
        do {
            try await carryOut(on: manager, &answer)
        } catch {
            answer.failures.append(Answer.Failure(error))
        }
        return answer
    }

    private func carryOut(on manager: DownloadManager, _ answer: inout Answer) async throws {
        switch self {
        case .active:
            answer.receipts = await manager.activeReceipts
        case .add(let downloads):
            try await add(downloads, to: manager, &answer)
        case .verb(let verb, let selectors):
            await answer.collect(selectors) { try await verb.carryOut($0, on: manager) }
        case .remove(let selectors, let withFiles):
            await answer.collect(selectors) { try await manager.remove($0, withFiles: withFiles) }
        case .move(let selectors, let place):
            await answer.collect(selectors) { try await manager.receipts($0) }
            // All in one go: to the front one by one, the first would end behind the others.
            var seen: Set<Receipt.ID> = []
            let ids = Selection.ids(answer.receipts.map(\.id).filter { seen.insert($0).inserted })
            answer.receipts = []
            try await place.move(ids, on: manager)
            answer.receipts = try await manager.receipts(ids)
        case .setURL(let selector, let url):
            let ids = try await manager.receipts(selector.selection).map(\.id)
            guard let id = ids.first, ids.count == 1 else {
                throw DownloadError(
                    .invalidSetting, "A URL is for one download; '\(selector)' is \(ids.count).")
            }
            let source = try Source(url)
            try source.checkHasNoCredentials()
            answer.receipts = [try await manager.setSource(source, of: id)]
        case .setPriority(let selectors, let priority):
            await answer.collect(selectors) { selection in
                try await manager.setPriority(priority, of: selection)
                return try await manager.receipts(selection)
            }
        case .limit(let change):
            try await manager.setLimits(change.applied(to: manager.limits))
        }
    }

    private func add(
        _ downloads: [NewDownload], to manager: DownloadManager, _ answer: inout Answer
    ) async throws {
        var entries: [QueueEntry] = []
        for download in downloads {
            do {
                entries.append(try download.entry())
            } catch {
                answer.failures.append(Answer.Failure(error))
            }
        }
        let before = await manager.lastID
        for result in try await manager.add(entries) {
            switch result {
            case .success(let receipt):
                answer.receipts.append(receipt)
                if receipt.id <= before { answer.known.insert(receipt.id) }
            case .failure(let error): answer.failures.append(Answer.Failure(error))
            }
        }
    }
}

extension Answer {
    fileprivate mutating func collect(
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
}

extension Instruction.Verb {
    fileprivate func carryOut(_ selection: Selection, on manager: DownloadManager) async throws -> [Receipt] {
        switch self {
        case .pause: try await manager.pause(selection)
        // Who names a download that failed or was cancelled wants it to go on; `all` are those that are paused.
        case .resume where selection != .all: try await manager.start(selection)
        case .resume: try await manager.resume(selection)
        case .cancel: try await manager.cancel(selection)
        case .restart: try await manager.restart(selection)
        }
    }
}

extension Instruction.Place {
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

extension Instruction.LimitChange {
    func applied(to limits: Limits) -> Limits {
        var limits = limits
        limits.activeFiles = activeFiles ?? limits.activeFiles
        limits.connections = connections ?? limits.connections
        limits.connectionsPerHost = connectionsPerHost ?? limits.connectionsPerHost
        if let rate { limits.rate = rate == 0 ? nil : rate }
        return limits
    }
}
