package import SegmentedDL
internal import SegmentedDLOptions
package import SegmentedDLQueue
internal import SegmentedDLSupport
internal import SystemPackage

/// The queue as the daemon's clients see it: downloads by gid, with the clients' options.
package final class Downloads: Sendable {
    package let manager: DownloadManager
    package let store: DaemonStore
    package let fence: Fence
    /// The directory of unfinished files; `nil` for that of the final name.
    let incompleteDirectory: FilePath?
    /// The search for digests of files added by callers.
    let proofPolicy: ProofPolicy
    /// The default options of downloads added from now on.
    private let usual: Lock<[String: [String]]>
    /// Called with all default options after a change.
    private let usualChanged: @Sendable ([String: [String]]) async -> Void
    /// The gids of downloads that are being added.
    private let reserved = Lock<Set<GID>>([])

    package init(
        manager: DownloadManager, store: DaemonStore, fence: Fence, incompleteDirectory: FilePath? = nil,
        proofPolicy: ProofPolicy = .none, usual: [String: [String]] = [:],
        usualChanged: @escaping @Sendable ([String: [String]]) async -> Void = { _ in }
    ) {
        self.usual = Lock(usual)
        self.usualChanged = usualChanged
        self.incompleteDirectory = incompleteDirectory
        self.proofPolicy = proofPolicy
        self.manager = manager
        self.store = store
        self.fence = fence
    }

    var usualOptions: [String: [String]] { usual.withLock { $0 } }

    /// - Throws: `DownloadError` with code `badPath` for a directory that is not allowed.
    func setUsual(_ options: [String: [String]]) async throws {
        if let directory = options["dir"]?.first { _ = try await place(directory, nil) }
        let all = usual.withLock { usual in
            usual.merge(options) { _, new in new }
            return usual
        }
        await usualChanged(all)
    }

    /// Sets options from aria2's command line as defaults of all downloads, if they are options that a call
    /// can set.
    package func setUsual(ofCommandLine values: [String: [String]]) async throws {
        var options: [String: [String]] = [:]
        for (name, values) in values {
            guard let option = Aria2Options.named[name], let call = option.call, call.isGlobal,
                call.remedy == nil
            else { continue }
            let texts = values.map { JSONValue.string($0) }
            let value = option.kind == .list ? .array(texts) : texts.last ?? ""
            options[name] = try option.values(value, usual: call.usual)
        }
        try await setUsual(options)
    }

    /// Returns the events of the queue from now on. The stream ends with the queue, or if its reader is too
    /// slow.
    func events() -> AsyncStream<QueueEvent> { manager.events(limit: Self.mostEvents) }

    /// The maximum number of events that wait for a reader.
    static let mostEvents = 100_000

    // MARK: Finding

    /// Returns the download with a gid.
    func find(_ gid: GID) async throws(RPCFailure) -> Receipt {
        guard let found = await manager.receipt(gid) else { throw RPCFailure.notFound(gid.description) }
        return found
    }

    /// Returns the download with a gid, or the only one with this gid prefix.
    func find(_ text: String) async throws(RPCFailure) -> Receipt {
        if let gid = GID(text) { return try await find(gid) }
        guard GID.isBeginning(text) else { throw RPCFailure("Invalid GID \(text)") }
        let beginning = text.lowercased()
        let found = await manager.receipts.filter { GID(of: $0).description.hasPrefix(beginning) }
        guard let first = found.first else { throw RPCFailure.notFound(text) }
        guard found.count == 1 else { throw RPCFailure("GID \(text) is not unique") }
        return first
    }

    // MARK: Adding

    /// Returns the request for a file if a caller gives only the sources.
    ///
    /// - Throws: `DownloadError` with code `invalidURL`.
    package func usualRequest(for urls: [String]) throws(DownloadError) -> DownloadRequest {
        let values = Aria2Values(usualOptions, defaults: .call)
        var request = try values.request(urls, to: .directory(FilePath(values.nonEmpty("dir") ?? "")))
        request.proofPolicy = proofPolicy
        return request
    }

    /// A download that is about to be added.
    private struct Addition {
        let entry: QueueEntry
        let attachment: RecordAttachment
        let gid: GID

        init(_ request: DownloadRequest, startsPaused: Bool, _ attachment: RecordAttachment, _ gid: GID) {
            entry = QueueEntry(request, key: gid.description, startsPaused: startsPaused)
            self.attachment = attachment
            self.gid = gid
        }
    }

    /// Adds a download. Its headers and credentials are stored first, so that it never runs without them.
    ///
    /// - Parameters:
    ///   - entry: Its destination is below one of the daemon's directories, or relative to the first of them.
    ///     Its key is replaced by a gid.
    ///   - known: All downloads from the first URL that the caller knows of; `nil` if it did not check.
    /// - Throws: `DownloadError`, or `StaleSnapshot` if `known` is out of date. In these cases nothing was
    ///   added.
    package func add(_ entry: QueueEntry, known: [Receipt.ID]? = nil) async throws -> Receipt {
        let addition = try await addition(of: entry)
        defer { release(addition.gid) }
        return try await insert(addition, known)
    }

    /// Adds many downloads as above, in order, and stores them in one transaction.
    ///
    /// - Returns: For each entry, its receipt, or the reason why it was not added.
    /// - Throws: `DownloadError` if the queue cannot be written; in that case nothing was added.
    package func add(_ entries: [QueueEntry]) async throws -> [Result<Receipt, any Error>] {
        var additions: [Result<Addition, any Error>] = []
        var gids: [GID] = []
        defer { for gid in gids { release(gid) } }
        for entry in entries {
            do {
                let addition = try await addition(of: entry)
                gids.append(addition.gid)
                try await store.save(addition.attachment, of: addition.gid)
                additions.append(.success(addition))
            } catch {
                additions.append(.failure(error))
            }
        }
        let added = additions.compactMap { try? $0.get() }
        let results: [Result<Receipt, DownloadError>]
        do {
            results = try await manager.add(added.map(\.entry))
        } catch {
            for addition in added { try? await store.erase(addition.gid) }
            throw error
        }
        var outcomes: [GID: Result<Receipt, any Error>] = [:]
        for (addition, result) in zip(added, results) {
            do {
                outcomes[addition.gid] = .success(try await inserted(result.mapError { $0 }, addition, nil))
            } catch {
                outcomes[addition.gid] = .failure(error)
            }
        }
        return additions.map { addition in
            addition.flatMap { outcomes[$0.gid] ?? .failure(CancellationError()) }
        }
    }

    private func addition(of entry: QueueEntry) async throws -> Addition {
        var request = entry.request
        request.destination = try await place(request.destination)
        request.segments = await allowed(request.segments)
        return Addition(
            request, startsPaused: entry.startsPaused, RecordAttachment(request.authorization),
            try await reservedGID(nil))
    }

    /// Adds a download with aria2's options.
    ///
    /// - Parameters:
    ///   - urls: Sources of one file, in order of preference.
    ///   - position: The position among the waiting ones; `nil` for the end.
    /// - Throws: `DownloadError` or `RPCFailure`. In these cases nothing was added.
    @discardableResult
    package func add(
        _ urls: [String], _ options: [String: [String]], position: Int? = nil
    ) async throws -> Receipt {
        try await add(urls, RecordAttachment(options: options), position: position) { _ in }
    }

    /// Adds a download as above.
    ///
    /// - Parameter complete: Changes settings of the request for which aria2 has no options.
    func add(
        _ urls: [String], _ attachment: RecordAttachment, position: Int?,
        _ complete: (inout DownloadRequest) -> Void
    ) async throws -> Receipt {
        var attachment = attachment
        attachment.options.merge(usualOptions) { given, _ in given }
        let gid = try await reservedGID(attachment.value("gid"))
        defer { release(gid) }
        attachment.options["gid"] = nil
        let startsPaused = attachment.value("pause") == "true"
        attachment.options["pause"] = nil
        attachment.fillReferer(from: urls.lazy.compactMap { try? Source($0) }.first)
        var request = try await request(urls, attachment)
        complete(&request)
        // When the download runs, the attachment's authorization replaces the request's.
        if attachment.authorization.credentials == nil, let credentials = request.source.credentials {
            attachment.options["http-user"] = [credentials.user]
            attachment.options["http-passwd"] = [credentials.password]
        }
        let receipt = try await insert(Addition(request, startsPaused: startsPaused, attachment, gid), nil)
        if let position { try await move(receipt, to: position) }
        return receipt
    }

    private func request(_ urls: [String], _ attachment: RecordAttachment) async throws -> DownloadRequest {
        let destination = try await place(attachment.value("dir"), attachment.value("out"))
        var request = try attachment.values.request(urls, to: destination)
        request.proofPolicy = proofPolicy
        request.segments = await allowed(request.segments)
        return request
    }

    /// Front-ends request a number of connections without knowing the daemon's caps.
    func allowed(_ segments: SegmentCount?) async -> SegmentCount? {
        guard case .fixed(let count) = segments else { return segments }
        let limits = await manager.limits
        return .fixed(min(count, limits.connections, limits.connectionsPerHost))
    }

    private func insert(_ addition: Addition, _ known: [Receipt.ID]?) async throws -> Receipt {
        try await store.save(addition.attachment, of: addition.gid)
        let result: Result<Receipt, any Error>
        do {
            result = .success(try await manager.add(addition.entry, known: known))
        } catch {
            result = .failure(error)
        }
        return try await inserted(result, addition, known)
    }

    /// Returns the receipt of a download after the attempt to add it. If its file name belongs to another
    /// download and may be changed, it is added with the next free name, as in aria2.
    ///
    /// - Throws: The reason why it was not added. Its attachment is deleted in that case.
    private func inserted(
        _ result: Result<Receipt, any Error>, _ addition: Addition, _ known: [Receipt.ID]?
    ) async throws -> Receipt {
        do {
            do {
                return try result.get()
            } catch let error as DownloadError
                where error.code == .duplicate && addition.entry.request.ifExists == .rename
            {
                return try await insertNumbered(addition, known, after: error)
            }
        } catch {
            try? await store.erase(addition.gid)
            throw error
        }
    }

    private func insertNumbered(
        _ addition: Addition, _ known: [Receipt.ID]?, after first: DownloadError
    ) async throws -> Receipt {
        var entry = addition.entry
        guard case .file(let path) = entry.request.destination, let name = path.lastComponent?.string
        else { throw first }
        var error = first
        for number in 1...1_000 {
            let numbered = path.removingLastComponent().appending(Self.numbered(name, number))
            do {
                entry.request.destination = try await place(.file(numbered))
                return try await manager.add(entry, known: known)
            } catch let next as DownloadError where next.code == .duplicate {
                error = next
            }
        }
        throw error
    }

    /// Returns `name.1.ext` for `name.ext`.
    static func numbered(_ name: String, _ number: Int) -> String {
        let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        guard let dot = name[start...].lastIndex(of: "."), dot > start else { return "\(name).\(number)" }
        return "\(name[..<dot]).\(number)\(name[dot...])"
    }

    /// Returns a gid that no other download has. The caller releases it once its download is in the queue.
    private func reservedGID(_ text: String?) async throws -> GID {
        guard let gid = text.map({ GID($0) }) ?? GID.random() else {
            throw RPCFailure("Invalid GID \(text ?? "")")
        }
        guard reserved.withLock({ $0.insert(gid).inserted }) else {
            throw RPCFailure("GID \(gid) is not unique")
        }
        guard await manager.receipt(gid) == nil else {
            release(gid)
            throw RPCFailure("GID \(gid) is not unique")
        }
        return gid
    }

    private func release(_ gid: GID) {
        reserved.withLock { _ = $0.remove(gid) }
    }

    func place(_ directory: String?, _ name: String?) async throws -> DownloadRequest.Destination {
        try await DiskThread.run { [fence] in try fence.place(directory: directory, name: name) }
    }

    func place(_ destination: DownloadRequest.Destination) async throws -> DownloadRequest.Destination {
        try await DiskThread.run { [fence] in try fence.place(destination) }
    }

    // MARK: Removing

    /// Removes downloads from the queue. Their attachments are deleted once the removal is on disk, because a
    /// kill in between would otherwise restore the downloads without them.
    @discardableResult
    package func remove(_ selection: Selection, withFiles: Bool = false) async throws -> [Receipt] {
        let removed = try await manager.remove(selection, withFiles: withFiles)
        for receipt in removed { try? await store.erase(GID(of: receipt)) }
        return removed
    }

    // MARK: Order

    /// In aria2, paused downloads are also waiting ones.
    private static let waiting: Set<DownloadState> = [.queued, .retrying, .paused]

    /// The waiting downloads, in order.
    func waiting() async -> [Receipt.ID] {
        await manager.ids(in: Self.waiting)
    }

    /// Moves a download among the waiting ones.
    ///
    /// - Parameter position: The position, from 0; numbers beyond the end mean the last position.
    /// - Returns: Its new position.
    @discardableResult
    func move(_ receipt: Receipt, to position: Int) async throws -> Int {
        try await manager.move(receipt.id, toPlace: position, among: Self.waiting)
    }
}
