package import SegmentedDL
internal import SegmentedDLOptions
package import SegmentedDLQueue
internal import SegmentedDLSupport
internal import SystemPackage

/// The queue, as clients of the daemon see it: downloads by gid, with the options that they gave.
package final class Downloads: Sendable {
    package let manager: DownloadManager
    package let jobs: JobStore
    package let fence: Fence
    /// The directory of unfinished files; `nil` for that of the final name.
    let incompleteDirectory: FilePath?
    /// Options for downloads that are added from now on and do not say otherwise.
    private let usual: Lock<[String: [String]]>
    /// Called with all of these options after a change of them.
    private let usualChanged: @Sendable ([String: [String]]) async -> Void
    /// The gids of downloads that are being added.
    private let reserved = Lock<Set<GID>>([])
    let events = Fanout<QueueEvent>(longest: 100_000)

    package init(
        manager: DownloadManager, jobs: JobStore, fence: Fence, incompleteDirectory: FilePath? = nil,
        usual: [String: [String]] = [:],
        usualChanged: @escaping @Sendable ([String: [String]]) async -> Void = { _ in }
    ) {
        self.usual = Lock(usual)
        self.usualChanged = usualChanged
        self.incompleteDirectory = incompleteDirectory
        self.manager = manager
        let source = manager.events(limit: .max)
        // It ends with the manager.
        Task { [events] in
            for await event in source { events.send(event) }
            events.finish()
        }
        self.jobs = jobs
        self.fence = fence
    }

    var usualOptions: [String: [String]] { usual.withLock { $0 } }

    /// - Throws: `DownloadError` with code `badPath` for a directory outside of the fence.
    func setUsual(_ options: [String: [String]]) async throws {
        if let directory = options["dir"]?.first { _ = try await place(directory, nil) }
        let all = usual.withLock { usual in
            usual.merge(options) { _, new in new }
            return usual
        }
        await usualChanged(all)
    }

    /// Takes options of aria2's command line for all downloads that do not say otherwise, as far as a call
    /// could set them.
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

    // MARK: Finding

    /// Returns the download of a gid.
    func find(_ gid: GID) async throws(RPCFailure) -> Receipt {
        guard let found = await manager.receipt(gid) else { throw RPCFailure.notFound(gid.description) }
        return found
    }

    /// Returns the download of a gid, or of the only one that begins so.
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

    /// Adds a download. Its options are stored before it is, so that it never runs without them.
    ///
    /// - Parameters:
    ///   - urls: Sources of one file, the preferred one first.
    ///   - position: The place among those that wait; `nil` for the last.
    ///   - checksumOrigin: The place that the digest in the options was taken from.
    ///   - expectedTypes: The media types of which the file must be one; with none, any counts.
    ///   - known: All downloads from the first URL, as the caller knows them; `nil` if it did not look.
    /// - Throws: `DownloadError` or `RPCFailure`, or `OutdatedLook` if `known` does not hold any more.
    ///   Nothing was added then.
    @discardableResult
    package func add(
        _ urls: [String], _ options: [String: [String]], position: Int? = nil,
        checksumOrigin: ChecksumOrigin? = nil, expectedTypes: [String] = [], known: [Receipt.ID]? = nil
    ) async throws -> Receipt {
        var job = Job(options: options)
        job.checksumOrigin = checksumOrigin
        return try await add(
            urls, job, expectedTypes: expectedTypes, position: position, known: known)
    }

    /// Adds a download as above, with all that its client gave.
    func add(
        _ urls: [String], _ job: Job, expectedTypes: [String] = [], position: Int?,
        known: [Receipt.ID]? = nil
    ) async throws -> Receipt {
        var job = job
        job.options.merge(usualOptions) { given, _ in given }
        let gid = try await reservedGID(job.value("gid"))
        defer { reserved.withLock { _ = $0.remove(gid) } }
        job.options["gid"] = nil
        let startsPaused = job.value("pause") == "true"
        job.options["pause"] = nil
        job.fillReferer(from: urls.lazy.compactMap { try? Source($0) }.first)
        var request = try await request(urls, job)
        request.expectedTypes = expectedTypes
        // The job's authorization takes the place of the request's when it runs.
        if job.authorization.credentials == nil, let credentials = request.source.credentials {
            job.options["http-user"] = [credentials.user]
            job.options["http-passwd"] = [credentials.password]
        }
        try await jobs.save(job, of: gid)
        let receipt: Receipt
        do {
            receipt = try await insert(request, gid, startsPaused: startsPaused, job, known)
        } catch {
            try? await jobs.erase(gid)
            throw error
        }
        if let position { try await move(receipt, to: position) }
        return receipt
    }

    private func request(_ urls: [String], _ job: Job) async throws -> DownloadRequest {
        let destination = try await place(job.value("dir"), job.value("out"))
        var request = try job.values.request(urls, to: destination)
        // The supplement of its first run says so.
        request.startsOver = false
        request.segments = await allowed(request.segments)
        return request
    }

    /// Front-ends ask for a number of connections without knowing the daemon's caps.
    func allowed(_ segments: SegmentCount?) async -> SegmentCount? {
        guard case .fixed(let count) = segments else { return segments }
        let limits = await manager.limits
        return .fixed(min(count, limits.connections, limits.connectionsPerHost))
    }

    /// Adds a request. If its name belongs to another download and may be changed, it gets the next free one,
    /// as aria2 does.
    private func insert(
        _ request: DownloadRequest, _ gid: GID, startsPaused: Bool, _ job: Job, _ known: [Receipt.ID]?
    ) async throws -> Receipt {
        var request = request
        var number = 0
        while true {
            var entry = QueueEntry(request, key: gid.description)
            entry.startsPaused = startsPaused
            do {
                return try await manager.add(entry, known: known)
            } catch let error as DownloadError
                where error.code == .duplicate && request.ifExists == .rename && number < 1_000
            {
                guard let name = job.value("out") else { throw error }
                number += 1
                request.destination = try await place(job.value("dir"), Self.numbered(name, number))
            }
        }
    }

    /// Returns `name.1.ext` for `name.ext`.
    static func numbered(_ name: String, _ number: Int) -> String {
        let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
        guard let dot = name[start...].lastIndex(of: "."), dot > start else { return "\(name).\(number)" }
        return "\(name[..<dot]).\(number)\(name[dot...])"
    }

    /// Returns a gid that no other download has. The caller gives it back once its download is in the queue.
    private func reservedGID(_ text: String?) async throws -> GID {
        guard let gid = text.map({ GID($0) }) ?? GID.random() else {
            throw RPCFailure("Invalid GID \(text ?? "")")
        }
        guard reserved.withLock({ $0.insert(gid).inserted }) else {
            throw RPCFailure("GID \(gid) is not unique")
        }
        guard await manager.receipt(gid) == nil else {
            reserved.withLock { _ = $0.remove(gid) }
            throw RPCFailure("GID \(gid) is not unique")
        }
        return gid
    }

    func place(_ directory: String?, _ name: String?) async throws -> DownloadRequest.Destination {
        try await DiskThread.run { [fence] in try fence.place(directory: directory, name: name) }
    }

    // MARK: Removing

    /// Takes downloads out of the queue. Their options go when the removal is on the disk, because
    /// otherwise a kill in between would bring them back without.
    @discardableResult
    package func remove(_ selection: Selection, withFiles: Bool = false) async throws -> [Receipt] {
        let removed = try await manager.remove(selection, withFiles: withFiles)
        for receipt in removed { try? await jobs.erase(GID(of: receipt)) }
        return removed
    }

    // MARK: Order

    /// For aria2 paused downloads wait, too.
    private static let waiting: Set<DownloadState> = [.queued, .retrying, .paused]

    /// The downloads that wait, in their order.
    func waiting() async -> [Receipt.ID] {
        await manager.ids(in: Self.waiting)
    }

    /// Moves a download among those that wait.
    ///
    /// - Parameter position: From 0; the last place if it is beyond.
    /// - Returns: The place that it has then.
    @discardableResult
    func move(_ receipt: Receipt, to position: Int) async throws -> Int {
        try await manager.move(receipt.id, toPlace: position, among: Self.waiting)
    }
}
