internal import Logging
internal import SystemPackage

/// Helpers shared by several steps of a download.
extension FileDownload {
    // MARK: Hooks

    func enter(_ state: DownloadState) async {
        tracker.enter(state)
        if state == .verifying || state == .finalizing { slot.needsNoConnection() }
        await task.hooks.entered?(state)
    }

    func claim(_ path: FilePath) async throws -> Bool {
        try await task.hooks.claim?(path) ?? true
    }

    func tellOfLacks(of part: PartFile) { configuration.logger.tellOfLacks(of: part) }

    // MARK: Checks

    /// Returns the digests that the file must have.
    func expectations(_ server: ServerDigest?) -> Expectations {
        Expectations(of: task, server: server)
    }

    /// Returns the digests that the file must have, according to the caller and to the first response.
    func expectations(for primary: PrimarySource) -> Expectations {
        let response = primary.first.response
        var expectations = expectations(primary.first.resource.digest)
        expectations.add(primary.first.resource.composite)
        guard
            let redirect = response.redirects.first(where: { ServerDigest.ofHub(redirect: $0.head) != nil }),
            ServerDigest.ofHub(redirect: redirect.head) == expectations.server
        else { return expectations }
        let others = clients.filter { $0.source.url != primary.client.source.url }
        let hosts = [response.source] + others.flatMap { [$0.source, $0.target] }
        expectations.isServerOtherHost = !hosts.contains {
            $0.origin.host == redirect.source.origin.host
        }
        return expectations
    }

    /// Returns the check of a file's pieces; `nil` without digests or without a length.
    ///
    /// - Throws: `DownloadError` with code `lengthMismatch` if the pieces belong to another file.
    func pieceCheck(_ file: IncompleteFile, _ pieces: PieceHashes?, length: Int64?) throws -> PieceCheck? {
        guard let pieces, let length else { return nil }
        return try PieceCheck(file.part, pieces, total: length)
    }

    /// - Throws: `DownloadError` with code `lengthMismatch` if the file is known to have a different length.
    func checkLength(_ length: Int64) throws {
        guard let expected = request.expectedLength, length != expected else { return }
        let isPage = WebPage.isUnexpected(tracker.response?.contentType, for: request, stored: nil)
        let advice =
            isPage
            ? "the server sends a web page, which may be a login form or an error; check the URL"
            : "check the URL, and the expected length"
        throw DownloadError(
            .lengthMismatch,
            "\(request.source): the file has \(length) bytes, but \(expected) were expected; \(advice).",
            url: request.source.description)
    }

    /// - Throws: `DownloadError` with code `lengthMismatch` if a file that the policy keeps does not have the
    ///   expected length. A file has no type that could be checked without a request.
    func checkLength(ofKept path: FilePath, _ length: Int64) throws(DownloadError) {
        guard let expected = request.expectedLength, length != expected else { return }
        throw DownloadError(
            .lengthMismatch,
            "'\(path)' exists, but it has \(length) bytes, and \(expected) were expected. It was left unchanged; remove it, or replace it.",
            url: request.source.description
        ).remedied(by: .replacement)
    }

    /// - Throws: `DownloadError` with code `unexpectedType` if the content has a type that the request does
    ///   not allow.
    func checkType(_ type: String?) throws(DownloadError) {
        guard !request.expectedTypes.isEmpty, !MediaRange.include(type, in: request.expectedTypes) else {
            return
        }
        let sent =
            type.map { "the server sends '\(Printable.text($0))'" } ?? "the server sends no Content-Type"
        let page = WebPage.isType(type) ? ", a web page, possibly a login form or an error" : ""
        throw DownloadError(
            .unexpectedType,
            "\(request.source): \(sent)\(page), but \(request.expectedTypes.joined(separator: " or ")) is expected; nothing was stored. Check the URL, or also accept that type.",
            url: request.source.description)
    }

    /// - Parameter length: `nil` if the server does not state it.
    /// - Throws: `DownloadError` with code `lengthMismatch` if the file may be longer than the request
    ///   allows.
    func checkLimit(_ length: Int64?) throws {
        guard let limit = request.lengthLimit else { return }
        guard let length else {
            // A decoded file's bytes are counted as they arrive.
            if request.ifEncoded == .decode { return }
            throw limit.error("the server does not send the file's length")
        }
        if LengthLimit.isExceeded(limit, by: length) { throw limit.error("the file has \(length) bytes") }
    }

    // MARK: Errors

    /// For a download that failed before its first response, sets the name to the one shown in messages about
    /// the disk, because the name in the URL may be encoded.
    func nameIfUnknown(after error: any Error) {
        guard error is DownloadError || error is StorageError, tracker.progress().name == nil else { return }
        let name: String? =
            switch request.destination {
            case .file(let path): path.lastComponent?.string
            case .directory where request.naming.isDigest: nil
            case .directory: request.source.fileName
            case .descriptor: nil
            }
        if let name { tracker.named(name) }
    }

    /// Returns the error that is reported to the caller.
    ///
    /// - Parameter source: The source that failed; `nil` for the first one.
    func publicError(_ error: any Error, _ source: Source? = nil) -> any Error {
        switch error {
        case TransferFailure.storage(let error):
            return publicError(error)
        case let failure as TransferFailure:
            let name = tracker.progress().name ?? request.source.description
            let source = source ?? client.source
            let hasCredentials =
                request.credentials != nil || source.credentials != nil
                || request.headers.contains { $0.name.lowercased() == "authorization" }
            var circumstances = tracker.circumstances(hasCredentials: hasCredentials)
            circumstances.asksForCoding = request.ifEncoded == .decode
            return failure.error(for: source, file: name, circumstances)
        case let error as StorageError:
            return knowingKept(error).asDownloadError
        case let failure as NotContinued:
            return failure.error
        default:
            return error
        }
    }

    /// Returns the error with a note about what happens to the bytes on disk.
    private func knowingKept(_ error: StorageError) -> StorageError {
        let progress = tracker.progress()
        guard error.kept == .resumable, !request.isPiped, progress.bytesCompleted != progress.bytesTotal
        else { return error }
        // Only files with a manifest are kept.
        let stays = progress.bytesTotal.map { $0 >= configuration.minimumSegmentSize } ?? false
        let kept = stays ? progress.bytesCompleted : 0
        var error = error
        if !progress.isResumable {
            error.kept = .useless(kept)
        } else if kept == 0 {
            error.kept = .nothing
        }
        return error
    }

    func claimedError(_ path: FilePath) -> DownloadError {
        DownloadError(
            .duplicate,
            "\(request.source): another download of this queue writes to '\(path)'; choose another name.")
    }
}

extension Expectations {
    /// Creates those of a task's file.
    init(of task: DownloadTask, server: ServerDigest?) {
        self.init(
            checksums: task.request.checksums, server: server, wantsSHA256: task.isRecorded)
    }
}

extension Logger {
    /// Logs once for each file system which features it lacks.
    func tellOfLacks(of part: PartFile) {
        for (feature, device) in part.lackedFeatures where feature.isNew(on: device) {
            tell(.lacks(feature, in: part.path.directory))
        }
    }
}
