internal import SegmentedDL
internal import SegmentedDLDatabase
internal import SystemPackage

extension MirrorFile {
    /// Refuses a file that already exists under the name of another file of the source.
    ///
    /// - Throws: `DownloadError` with code `duplicate`.
    func checkSpelling() async throws {
        guard found != nil,
            let other = await DiskThread.run({ [session, file] in session.firstSpelling(of: file) })
        else { return }
        throw DownloadError.sameName(path, of: try item.firstSource(), and: .spelling(other))
    }

    /// Returns the error of a file, with the source's explanation of a refusal.
    func explained(_ error: any Error) -> any Error {
        guard let source = session.source, let error = error as? DownloadError else { return error }
        return source.explained(error, of: item, job.access, hub: job.hub)
    }

    /// Returns the error of a file, naming the source's other file with which its name clashes. A file cannot
    /// have the name of a directory, although two keys of a bucket can.
    func namingClash(_ error: any Error) async -> any Error {
        guard (error as? DownloadError ?? (error as? StorageError)?.asDownloadError)?.code == .badPath else {
            return error
        }
        let path = item.path
        let other = await DiskThread.run { [store = session.store, run = session.run] in
            try? store.otherKind(than: path, in: run)
        }
        guard let other else { return await isBlocked() ? blockedError : error }
        let (file, below) = other.count < path.text.count ? (other, path.text) : (path.text, other)
        return DownloadError(
            .badPath,
            "The source has a file '\(Printable.text(file))', and '\(Printable.text(below))' below a directory of that name; a directory can contain only one of them. Exclude the other one."
        )
    }

    /// Returns true if a local directory has the file's name, and the source sends the file. The directory's
    /// files may then be deleted. The source is asked again, because the name may be checked before it has
    /// answered.
    @discardableResult
    func isBlocked() async -> Bool {
        // Only with a state can the source be asked about a file without a download.
        guard found == nil, session.isRemembered, let source = item.sources.first,
            await DiskThread.run({ [path] in (try? SystemCalls.status(path))?.kind == .directory }),
            let result = try? await session.downloader.start(task(.checkOnly, from: source)).finish(),
            let response = result.response
        else { return false }
        // It may be the listing of a directory.
        guard !(response.contentType?.lowercased().contains("html") ?? false) else { return false }
        session.listing.block(item.path)
        return true
    }

    private var blockedError: DownloadError {
        DownloadError(
            .badPath,
            "'\(path)' is a directory, but the source has a file of that name; --delete removes those of the directory's files that were mirrored, --delete-all removes all of them, and the next run fetches the file."
        )
    }
}

extension MirrorStore {
    /// Returns a path of the run's listings that requires this path to be a directory, or that must be a
    /// directory for this path; `nil` if none exists.
    fileprivate func otherKind(than path: RelativePath, in run: Run) throws(DownloadError) -> String? {
        var next = path.parent
        while let parent = next {
            if try lists(parent.text, in: run) { return parent.text }
            next = parent.parent
        }
        return try use { database in
            // The character after the slash ends the range of paths with this prefix.
            try database.first(
                "SELECT path FROM file WHERE path > ? AND path < ? AND run = ? ORDER BY path LIMIT 1",
                [path.text + "/", path.text + "0", run.id]
            ) { try $0.text(0) }
        }
    }
}
