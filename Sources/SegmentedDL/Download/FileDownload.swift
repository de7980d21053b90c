internal import Logging
internal import SystemPackage

/// One download, from its slot in the queue to its final name.
///
/// A class, so that passing it to disk threads does not copy all fields. Immutable.
final class FileDownload: Sendable {
    let task: DownloadTask
    let configuration: Configuration
    let slot: FileSlot
    let tracker: ProgressTracker
    /// One client for each source, the preferred one first.
    let clients: [SourceClient]
    let commits: CommitQueue
    let proofs: ProofCache
    private let expired: ExpiredCookies?
    private let rounds: HoldUpRounds

    init(
        _ task: DownloadTask, _ configuration: Configuration, slot: FileSlot, tracker: ProgressTracker,
        clients: [SourceClient], commits: CommitQueue, proofs: ProofCache, expired: ExpiredCookies? = nil,
        rounds: HoldUpRounds
    ) {
        self.task = task
        self.configuration = configuration
        self.slot = slot
        self.tracker = tracker
        self.clients = clients
        self.commits = commits
        self.proofs = proofs
        self.expired = expired
        self.rounds = rounds
    }

    var request: DownloadRequest { task.request }

    /// The client of the preferred source.
    var client: SourceClient { clients[0] }

    /// Waits for the download's slot, and returns when the file is complete.
    func run() async throws -> DownloadResult {
        defer { slot.release() }
        do {
            try request.validate()
            try await slot.waitForStart()
            await noteExpiredCookies()
            let began = ContinuousClock.now
            let sampler = HoldUpSampler(tracker, client)
            let number = rounds.add(sampler)
            defer { rounds.remove(number) }
            var result = try await proven(toDestination())
            result.duration = ContinuousClock.now - began
            if result.duration >= .seconds(HoldUpLedger.shortestSeconds) { sampler.sample() }
            await addTotals(to: &result)
            tracker.enter(.completed)
            return result
        } catch {
            tracker.enter(error is CancellationError ? .cancelled : .failed)
            nameIfUnknown(after: error)
            throw publicError(error)
        }
    }

    private func noteExpiredCookies() async {
        guard let expired else { return }
        let host = request.source.origin.host
        guard let notice = await DiskThread.run({ expired.notice(for: host) }) else { return }
        configuration.logger.notice("\(notice)")
    }

    private func toDestination() async throws -> DownloadResult {
        if case .descriptor(let descriptor) = request.destination {
            return try await PipeDownload(download: self, descriptor: descriptor).run()
        }
        var attempt = Attempt(for: request, keepsUnfinished: task.keepsUnfinished)
        while true {
            var findings = Attempt.Findings()
            do {
                return try await runAttempt(attempt, &findings)
            } catch {
                guard let next = attempt.next(after: error, findings) else { throw error }
                if let reason = next.reason { configuration.logger.notice("\(request.source): \(reason)") }
                attempt = next
            }
        }
    }

    /// All steps of a download.
    private func runAttempt(
        _ attempt: Attempt, _ findings: inout Attempt.Findings
    ) async throws -> DownloadResult {
        await enter(.probing)
        let (earlier, copies): (EarlierBytes, [ExistingCopy])
        switch try await inspectDisk(attempt) {
        case .ended(let ending): return try await conclude(ending)
        case .fetch(let bytes, let existing): (earlier, copies) = (bytes, existing)
        }

        // The first response decides the next steps. Its body, which has not been read yet, is the first
        // segment.
        let primary = try await primarySource(behind: earlier, attempt, copies)
        let first = primary.first
        defer { first.abandon() }
        tracker.found(isResumable: first.resource.acceptsRanges && first.resource.length != nil)
        try await takeTurn(after: first)
        if let result = try resultWithoutBody(first, copies) { return result }

        let file: IncompleteFile
        switch try await openDestination(for: first, from: primary.client, attempt, copies) {
        case .ended(let ending): return try await conclude(ending)
        case .file(let opened): file = opened
        }
        defer {
            tellOfLacks(of: file.part)
            file.close()
        }
        // A small file was received with the head, and is already on disk.
        if let bytes = file.smallContent {
            let result = try await publish(file, try await verify(bytes, in: file, primary, attempt))
            return described(result, by: first)
        }

        let description = try await attempt.usesMetalink ? metalink(of: primary) : nil
        let pieces = request.pieces ?? description?.pieces
        let template = ManifestTemplate(
            sources: request.sources, validatorSource: primary.client.source, resource: first.resource)
        let (plan, extents) = try await Resume(
            file: file, first: first, client: primary.client, template: template,
            configuration: configuration,
            hasDigest: first.resource.digest != nil || !request.checksums.isEmpty,
            takesOver: attempt.takesOver,
            refusesOtherURL: task.refusesOtherURL
        ).plan(restarts: attempt.restarts, isChecked: pieces != nil)
        if request.order == .inOrder, first.resource.acceptsRanges {
            let order = OrderedPieces(minimum: configuration.minimumSegmentSize)
            plan.withLock { plan, _ in plan.pieces = order }
        }
        tracker.follows(plan)

        let isStream = !first.resource.acceptsRanges
        findings = Attempt.Findings(
            source: primary.index, isStream: isStream, isHurried: isStream && attempt.mayTryOthers,
            hasMetalinkPieces: description?.pieces != nil)
        await enter(.downloading)
        let check = try pieceCheck(file, pieces, length: first.resource.length)
        let expectations = expectations(for: primary)
        let transfer = FileTransfer(
            download: self, retry: findings.isHurried ? configuration.retry.hurried : configuration.retry,
            file: file, template: template, plan: plan, extents: extents,
            sources: sources(primary, description, written: plan.snapshot.written, hasPieces: check != nil),
            pieces: pieces, pieceCheck: check, expectations: expectations,
            search: proofSearch(
                length: first.resource.length, from: primary.client, expectations,
                hasEarlierBytes: !plan.snapshot.written.isEmpty))
        var result = described(try await publish(file, try await transfer.run(first)), by: first)
        result.isMixedUnproven =
            check == nil && result.proofs.isEmpty && transfer.sources.isMixedUnproven
        return result
    }

    /// Waits if too many large files are active. The response is then dropped and requested again.
    private func takeTurn(after first: FirstResponse) async throws {
        let isShared = first.response.transfer.isShared == true
        let isLarge = !first.isUnchanged && isLarge(first.resource, isShared: isShared)
        if slot.found(isLarge: isLarge, isShared: isShared) { return }
        first.abandon()
        tracker.enter(.queued)
        try await slot.waitForStart()
        tracker.enter(.probing)
    }

    /// Returns true if the file can use more than one connection.
    func isDivisible(_ resource: ResourceInfo) -> Bool {
        guard resource.acceptsRanges, let length = resource.length else { return false }
        return (request.segments ?? configuration.segments) != .fixed(1)
            && length / 2 >= configuration.minimumSegmentSize
    }

    /// A file of at least this many minimum-size segments is worth several connections even if other files
    /// are waiting for one. For smaller files, one connection for each waiting file is as fast without
    /// splitting.
    private static let segmentsOfLarge: Int64 = 8

    /// - Parameter isShared: True if the connection is shared: more concurrent files would then not be
    ///   faster.
    private func isLarge(_ resource: ResourceInfo, isShared: Bool) -> Bool {
        guard isDivisible(resource), let length = resource.length else { return false }
        return isShared || (request.segments ?? configuration.segments) != .automatic
            || length / Self.segmentsOfLarge >= configuration.minimumSegmentSize
    }

    // MARK: How it ends

    /// Returns the result of a download that needs only its first response.
    private func resultWithoutBody(
        _ first: FirstResponse, _ copies: [ExistingCopy]
    ) throws -> DownloadResult? {
        guard first.isUnchanged else {
            return task.isCheckOnly ? result(.skipped, nil, length: first.resource.length ?? 0) : nil
        }
        if let copy = copies.first(where: { knownCopy($0) != nil }) {
            tracker.named(copy.path.lastComponent?.string ?? copy.path.string)
            return result(.unchanged, copy.path, length: copy.size)
        }
        guard case .file(let path) = request.destination, let copy = task.revalidatedCopy else {
            throw TransferFailure.refused(status: 304)
        }
        return result(.unchanged, path, length: copy.length)
    }

    func result(
        _ outcome: DownloadResult.Outcome, _ path: FilePath?, length: Int64, written: Int64 = 0,
        proofs: [DigestProof] = []
    ) -> DownloadResult {
        var result = DownloadResult(
            outcome: outcome, path: path, length: length, bytesWritten: written, duration: .zero,
            connections: tracker.mostConnections)
        result.proofs = proofs
        return result
    }

    private func addTotals(to result: inout DownloadResult) async {
        // Bytes of aborted transfers are counted once their connections are closed.
        if client.counters.totals.underway > 0 { await client.engine.drain() }
        let totals = client.counters.totals
        result.connectionsOpened = totals.connections
        result.bytesReceived = totals.bytes
        result.bottleneck = tracker.bottleneck
        result.response = tracker.response
        if let bottleneck = result.bottleneck {
            configuration.logger.tell(
                .heldBack(bottleneck, name: tracker.progress().name ?? "\(request.source)"))
        }
    }
}

extension FileDownload {
    /// Adds the first response's facts about the content to a result, and reports a web page received instead
    /// of the file.
    func described(_ result: DownloadResult, by first: FirstResponse) -> DownloadResult {
        var result = result
        result.isEndProven = first.resource.isEndProven || !result.verified.isEmpty
        let (type, name) = (first.resource.contentType, result.path?.lastComponent?.string)
        if WebPage.isUnexpected(type, for: request, stored: name) {
            result.page = type
            let shown = Printable.text(type ?? "")
            configuration.logger.notice(
                "\(request.source): the server sent a web page (\(shown))\(name.map { " as '\($0)'" } ?? ""); inspect it, because it may be a login form or an error (expectedTypes, --expect-type TYPE, refuses other types)"
            )
        }
        return result
    }
}
