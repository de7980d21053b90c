internal import Logging
internal import SystemPackage

/// The meaning of an existing file with the final name.
enum Recognition: Sendable {
    /// It is the file to download.
    case same(ExistingCopy)
    /// It may be the beginning of the file.
    case partial(ExistingCopy)
    case stranger(UnrecognizedFile)
}

/// A file that is not known to be the one to download.
struct UnrecognizedFile: Sendable {
    /// The reason, as a clause.
    var reason: String
    /// True if it cannot be the beginning of the file.
    var isComplete = false
}

extension FileDownload {
    /// True if a correct existing file counts as complete. Not in a mirror, which has its own records, and
    /// not when starting over.
    var recognizesCopies: Bool {
        task.recognizesCopies && !task.isRecorded && !request.startsOver
    }

    /// The URL digests of all sources.
    private var urlDigests: [String] { request.sources.flatMap { [$0.digest] + $0.formerDigests } }

    /// True if a file has that name. Blocks.
    func isTaken(_ path: FilePath) -> Bool {
        (try? SystemCalls.statusFollowingLinks(path))?.kind == .file
    }

    /// Returns the files with a name or with one that another policy derives from it, each compared with the
    /// caller's length and digests.
    func existingCopies(at path: FilePath) async throws -> [ExistingCopy] {
        guard recognizesCopies else { return [] }
        var copies = await DiskThread.run { [request] in
            let names = request.ifExists == .rename ? DestinationChoice.takenNames(for: path) : []
            return ([path] + names).compactMap { ExistingCopy(at: $0) }
        }
        for index in copies.indices { copies[index].expectedLength = request.expectedLength }
        guard !request.checksums.isEmpty else { return copies }
        for index in copies.indices where request.expectedLength ?? copies[index].size == copies[index].size {
            copies[index].hasDigests = try await has(request.checksums, copies[index])
        }
        return copies
    }

    /// Returns the file that is kept without a request; `nil` if its content matters, or if the server may
    /// use another name. Blocks.
    func keptUnasked(at path: FilePath) -> ExistingCopy? {
        guard task.keepsExisting, request.ifExists == .skip, request.checksums.isEmpty,
            request.proofPolicy.required == nil, let copy = ExistingCopy(at: path), !copy.isUnfinished,
            request.expectedLength ?? copy.size == copy.size
        else { return nil }
        if request.destination.file != nil { return copy }
        guard request.naming != .finalURL else { return nil }
        // The query is not part of the name, so the file may have come from a URL with a different query.
        let hasQuery = request.source.url.utf8.contains(UInt8(ascii: "?"))
        let isOwn = copy.origin.map { urlDigests.contains($0.urlDigest) } ?? false
        return isOwn || !hasQuery ? copy : nil
    }

    /// Returns the condition of the first request, if a copy is known to come from this URL. A response
    /// without a body states no type, so there is no condition if the request expects one.
    func knownCopy(_ copy: ExistingCopy) -> KnownCopy? {
        request.expectedTypes.isEmpty ? copy.condition(of: urlDigests) : nil
    }

    /// Decides whether a file with the final name is the one that the server describes.
    ///
    /// - Parameter known: The files that were compared with the digests before the first request.
    /// - Throws: `DownloadError` with code `lengthMismatch` or `checksumMismatch` if the policy keeps the
    ///   file, but it cannot be correct; `fileExists` if an earlier version cannot be resumed;
    ///   `remoteFileChanged` if the server sends a page or a message instead of a file that is kept.
    func recognize(
        _ path: FilePath, _ attempt: Attempt, _ known: [ExistingCopy], _ first: FirstResponse,
        from client: SourceClient
    ) async throws -> Recognition {
        let resource = first.resource
        var copies = known
        if known.first?.path != path { copies = try await existingCopies(at: path) }
        var reasons: [String] = []
        for var copy in copies {
            // With the same length and date, it would be mistaken for this file.
            if request.ifExists == .rename,
                try await DiskThread.run({ [self, path = copy.path] in try isOthers(path) })
            {
                reasons.append("another file of this run has that name")
                continue
            }
            let relation = try await relation(of: copy, to: first, from: client)
            copy.isYounger = relation == .younger
            // `skip` leaves every file with the name unchanged.
            if relation != .same, !copy.isYounger, copy.path == path, attempt.takesOver,
                request.ifExists != .skip, mayTakeOver(copy, resource)
            {
                return .partial(copy)
            }
            if relation != .same, copy.path == path, let error = refusal(of: copy, resource) { throw error }
            if relation != .same, !copy.isYounger, let error = words(insteadOf: copy, resource) {
                throw error
            }
            switch relation {
            case .same, .younger: return .same(copy)
            case .contradicted(let because) where request.ifExists == .skip:
                throw contradiction(of: copy, because: because, length: resource.length)
            case .contradicted(let because), .untold(let because), .unknown(let because):
                reasons.append(because)
            }
        }
        return .stranger(
            UnrecognizedFile(
                reason: reasons.first ?? "it is not a regular file",
                isComplete: request.takesOver || copies.first?.origin != nil))
    }

    private func mayTakeOver(_ copy: ExistingCopy, _ resource: ResourceInfo) -> Bool {
        // A file with an origin mark is complete, so it is a different file or a different version of this
        // one.
        guard copy.origin == nil else { return false }
        // An empty file is the beginning of every file.
        return copy.size == 0 || copy.size <= resource.length ?? 0
    }

    /// Returns the error for a file that the caller wants to resume, since neither replacing it nor adding a
    /// file next to it was requested: an earlier version, or a file of which the server states no length.
    private func refusal(of copy: ExistingCopy, _ resource: ResourceInfo) -> DownloadError? {
        guard request.takesOver, request.ifExists == .rename else { return nil }
        if task.keepsUnfinished, copy.origin == nil, resource.length == nil {
            return DownloadError(
                .badPath,
                "'\(copy.path)' cannot be resumed, because the server does not state the length of its file. It is left unchanged; to fetch the file anyway, remove '\(copy.path)' or replace it.",
                url: request.source.description
            ).remedied(by: .replacement)
        }
        guard let origin = copy.origin, urlDigests.contains(origin.urlDigest), let length = resource.length,
            copy.size < length
        else { return nil }
        return DownloadError(
            .fileExists,
            "'\(copy.path)' is complete with \(copy.size) bytes, but the server's file now has \(length). It cannot be resumed, because the new version may differ anywhere; replace the file, or move it away.",
            url: request.source.description
        ).remedied(by: .replacement)
    }

    /// Returns the error for a page or a message that the server sends instead of a file whose copy is kept;
    /// otherwise `nil`.
    private func words(insteadOf copy: ExistingCopy, _ resource: ResourceInfo) -> DownloadError? {
        let names = request.givenNames + [copy.path.lastComponent?.string].compactMap(\.self)
        guard request.ifExists == .fail || request.ifExists == .skip,
            copy.isAnsweredByWords(resource, names: names, of: urlDigests)
        else { return nil }
        let what = resource.isPage ? "a web page, perhaps a login form," : "a short message"
        return DownloadError(
            .remoteFileChanged,
            "'\(copy.path)' was left unchanged, because the server now sends \(what) instead of the file; open it in a browser, and run it again once the file is back.",
            url: request.source.description, isRetryable: true)
    }

    private func relation(
        of copy: ExistingCopy, to first: FirstResponse, from client: SourceClient
    ) async throws -> ExistingCopy.Relation {
        let relation = copy.relation(
            to: first.resource, of: urlDigests, at: request.sources.compactMap(\.unsignedDigest),
            policy: request.ifExists)
        switch relation {
        case .same, .younger, .contradicted: return relation
        case .untold, .unknown: break
        }
        if let server = first.resource.digest?.checksum {
            return try await has([server], copy)
                ? .same : .contradicted("its digest differs from the server's")
        }
        // A file that may be replaced is not kept merely for its beginning.
        guard case .untold = relation, request.ifExists != .replace, request.ifExists != .update else {
            return relation
        }
        let beginning = BeginningComparison(copy: copy, first: first, client: client)
        return try await beginning.matches(configuration)
            ? .same : .unknown("the server's file has changed since")
    }

    private func has(_ checksums: [Checksum], _ copy: ExistingCopy) async throws -> Bool {
        configuration.logger.info("'\(copy.path)' exists; computing its digest")
        await enter(.verifying)
        defer { tracker.enter(.probing) }
        return try await FileDigest.compute(checksums.map(\.algorithm), of: copy.path) == checksums
    }
}
