internal import Logging
internal import SystemPackage

/// The bytes that an earlier run left of a file, and the plan for the missing ones.
struct Resume: Sendable {
    let file: IncompleteFile
    let first: FirstResponse
    /// The source that sent the first response.
    let client: SourceClient
    let template: ManifestTemplate
    let configuration: Configuration
    /// True if a digest of the whole file is known, which detects a wrong file.
    let hasDigest: Bool
    /// True to accept the bytes of another program after samples of them have been compared.
    let takesOver: Bool
    /// True to require the caller's consent before bytes from another URL are discarded, because the URL or
    /// the name is probably mistyped.
    let refusesOtherURL: Bool

    /// The plan for the missing bytes, and the recorder of fingerprints.
    typealias Prepared = (plan: SharedPlan, extents: ExtentRecorder?)

    /// Returns the plan for the missing bytes, and prepares the part file for them.
    ///
    /// - Parameters:
    ///   - restarts: True to discard the bytes on disk.
    ///   - isChecked: True if digests of pieces show which bytes on disk are correct.
    /// - Throws: `DownloadError`, `StorageError`, `TransferFailure`, or `CancellationError`.
    func plan(restarts: Bool, isChecked: Bool) async throws -> Prepared {
        let length = first.resource.length
        if file.part.isUnnamed { return prepared(SegmentPlan(total: length), ExtentList()) }
        var written = ByteRangeSet()
        var extents: ExtentList?
        if !restarts {
            let manifest = try await DiskThread.run { try earlierManifest() }
            if let foreign = try await takeOver(manifest) { return try await prepared(foreign) }
            written = try await resumable(manifest, isChecked: isChecked)
            if case .manifest(let manifest) = manifest, !written.isEmpty {
                extents = manifest.extents(boot: BootIdentity.current)
            }
        }
        let isFresh = written.isEmpty
        try await DiskThread.run { try prepare(isFresh: isFresh) }
        return prepared(SegmentPlan(total: length, written: written), extents ?? ExtentList())
    }

    private func prepared(_ written: ByteRangeSet) async throws -> Prepared {
        try await DiskThread.run { try prepare(isFresh: written.isEmpty) }
        return prepared(SegmentPlan(total: first.resource.length, written: written), ExtentList())
    }

    private func prepared(_ plan: SegmentPlan, _ extents: ExtentList) -> Prepared {
        let recorder =
            configuration.checksResumedBytes ? plan.total.flatMap { ExtentRecorder(extents, total: $0) } : nil
        return (SharedPlan(plan), recorder)
    }

    private func prepare(isFresh: Bool) throws {
        if isFresh {
            try file.part.empty()
            // From here on, the part file is known to be this program's, regardless of the outcome of this
            // run.
            try file.store.save(template.manifest(inode: try file.part.status().inode), durably: false)
        }
        guard let length = first.resource.length else { return }
        do {
            try file.part.preallocate(length)
        } catch {
            // An empty part file would only confuse users.
            if isFresh { try? file.discard() }
            throw error
        }
    }

    /// Returns the manifest of an earlier run.
    ///
    /// - Throws: `DownloadError` with code `badPath` if the part file holds bytes of another program, or of a
    ///   newer version.
    private func earlierManifest() throws -> ManifestStore.Content {
        let content = try file.store.load()
        if case .damaged(.version(let version)) = content, version > Manifest.version {
            throw DownloadError(
                .badPath,
                "'\(file.store.path)' was written by a newer version (format \(version)); continue with that version, or start over."
            ).remedied(by: .startOver)
        }
        if case .manifest(let manifest) = content { return .manifest(manifest.recognizing(template.sources)) }
        guard content == .absent, !takesOver, try file.part.status().size > 0 else { return content }
        throw DownloadError(
            .badPath,
            "'\(file.part.path)' is not an unfinished download of this program; move it away, continue it, or start over."
        ).remedied(by: .takeOver)
    }

    /// Returns the error for bytes of another program that are not the server's.
    private func notContinued() -> any Error {
        let isCompared = first.resource.acceptsRanges && first.resource.length != nil
        let because =
            isCompared
            ? "it is not the beginning of the server's file"
            : "the server sends no byte ranges, so its content cannot be compared"
        let name = file.isTakenOver ? file.paths.destination : file.part.path
        let sentence = "'\(name)' cannot be resumed, because \(because). It is left unchanged; "
        guard file.isTakenOver else {
            return DownloadError(
                .badPath, sentence + "to fetch the file anyway, remove or rename '\(name)'.")
        }
        let error = DownloadError(
            .badPath, sentence + "to fetch the file anyway, remove '\(name)' or replace it.")
        return NotContinued(error: error.remedied(by: .replacement), isCompared: isCompared)
    }

    /// Returns the bytes left by another program if they are acceptable and samples of them match the
    /// server's; `nil` if there are none.
    ///
    /// - Throws: `DownloadError` with code `badPath` if they are not; the file then has its old name again.
    private func takeOver(_ content: ManifestStore.Content) async throws -> ByteRangeSet? {
        guard takesOver, content == .absent else { return nil }
        let size = try await DiskThread.run { try file.part.status().size }
        guard size > 0 else { return nil }
        do {
            guard let written = try await DiskThread.run({ try foreignBytes(size) }) else {
                return logged("aria2 has only reserved space for it")
            }
            guard try await isServers(written, size) else {
                throw notContinued()
            }
            // Do this before the file is extended: extending marks it as this program's.
            try await DiskThread.run {
                try file.store.save(
                    template.manifest(inode: try file.part.status().inode, written: written), durably: false)
            }
            configuration.logger.notice(
                "\(file.part.destination.shown): resuming after \(written.byteCount) bytes of another program. Samples of them match the server's file; only a checksum would prove all of them."
            )
            return written
        } catch {
            await DiskThread.run { file.giveBack() }
            throw error
        }
    }

    /// Returns the bytes that another program may have received; `nil` if aria2 has only preallocated them.
    /// Blocks.
    private func foreignBytes(_ size: Int64) throws(StorageError) -> ByteRangeSet? {
        let received = try ForeignBytes.received(of: file.part, size: size)
        guard received.isEmpty, ControlFile.isThere(for: file.paths.destination) else { return received }
        if try ForeignBytes.areZeros(in: file.part, size: size) { return nil }
        // aria2 writes each of its pieces in small parts, so the most recent piece may be short.
        return try ForeignBytes.received(of: file.part, size: size, block: ForeignBytes.page)
    }

    /// Logs that only samples show that the bytes on disk match the server's.
    private func tellOfSamples(_ written: ByteRangeSet) {
        guard !hasDigest else { return }
        configuration.logger.notice(
            "\(file.part.destination.shown): resuming after \(written.byteCount) bytes of an earlier run. Samples of them match the server's file; only a checksum would prove all of them."
        )
    }

    private func isServers(_ written: ByteRangeSet, _ size: Int64) async throws -> Bool {
        guard first.resource.acceptsRanges, let total = first.resource.length, size <= total else {
            return false
        }
        let comparison = SampleComparison(client: client, part: file.part, total: total)
        return try await first.compare(comparison, written, configuration.retry)
    }

    private func resumable(_ manifest: ManifestStore.Content, isChecked: Bool) async throws -> ByteRangeSet {
        let decision = try await DiskThread.run {
            let status = try file.part.status()
            let part = PartFileState(
                inode: status.inode, size: status.size, isTouched: try file.store.misses(status),
                isCompared: configuration.checksResumedBytes && Fingerprint() != nil)
            return ResumeDecision.decide(
                manifest, part, resource: first.resource, sources: template.digests,
                boot: BootIdentity.current)
        }
        switch decision {
        case .fresh(let reason):
            return reason.map { logged($0) } ?? ByteRangeSet()
        case .page(let reason):
            return try insteadOfPage(manifest, reason)
        case .otherURL(let difference):
            return try ofOtherURL(manifest, because: difference)
        case _ where !first.resource.acceptsRanges:
            return logged("the server sends no byte ranges")
        case .resume(let written):
            return written
        case .compare(let written) where isChecked:
            return written
        case .compare(let written):
            let comparison = SampleComparison(
                client: client, part: file.part, total: first.resource.length ?? 0)
            if try await first.compare(comparison, written, configuration.retry) {
                tellOfSamples(written)
                return written
            }
            guard case .manifest(let found) = manifest, !ResumeDecision.isKnown(found, template.digests)
            else { return logged("its bytes differ from those on the server") }
            let difference = ServerDigest.difference(
                between: found.serverDigest, and: first.resource.digest)
            return try ofOtherURL(
                manifest, because: "its \(difference == .possible ? "digest and bytes" : "bytes") differ")
        }
    }

    /// Logs that the bytes on disk are discarded, because the file, a web page or a short document, has
    /// changed.
    ///
    /// - Throws: `DownloadError` with code `remoteFileChanged` if the file is not a page: the response may be
    ///   a login page.
    private func insteadOfPage(
        _ content: ManifestStore.Content, _ reason: String
    ) throws(DownloadError) -> ByteRangeSet {
        let name = file.paths.destination.lastComponent?.string ?? ""
        let isPage = first.resource.isPage
        let isNamedSo = isPage ? WebPage.isName(name) : WebPage.isMessageName(name)
        guard !isNamedSo, case .manifest(let manifest) = content else { return logged(reason) }
        let bytes = manifest.trusted(boot: BootIdentity.current).byteCount
        throw DownloadError(
            .remoteFileChanged,
            "'\(file.part.path)' contains \(bytes) bytes, and \(client.source) is a \(isPage ? "web page" : "short message") now; open it in a browser, or start over, which discards the bytes.",
            url: client.source.description
        ).remedied(by: .startOver)
    }

    /// Logs that the bytes of another URL are discarded.
    ///
    /// - Throws: `DownloadError` with code `badPath` if the caller must confirm that first.
    private func ofOtherURL(
        _ content: ManifestStore.Content, because difference: String
    ) throws(DownloadError) -> ByteRangeSet {
        guard refusesOtherURL, case .manifest(let manifest) = content else {
            return logged("it was fetched from another URL, and \(difference)")
        }
        let bytes = manifest.trusted(boot: BootIdentity.current).byteCount
        throw DownloadError(
            .badPath,
            "'\(file.part.path)' contains \(bytes) bytes of \(Printable.text(manifest.url)), but \(client.source) is another file (\(difference)); choose another name, or start over, which discards the bytes.",
            url: client.source.description
        ).remedied(by: .startOver)
    }

    /// Logs why the bytes of an earlier run are discarded.
    private func logged(_ reason: String) -> ByteRangeSet {
        configuration.logger.notice("\(file.part.destination.shown): starting over, because \(reason)")
        return ByteRangeSet()
    }
}
