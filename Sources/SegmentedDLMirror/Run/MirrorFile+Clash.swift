internal import SegmentedDL
internal import SegmentedDLDatabase

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
        return source.explained(error, of: item, job.access)
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
        guard let other else { return error }
        let (file, below) = other.count < path.text.count ? (other, path.text) : (path.text, other)
        return DownloadError(
            .badPath,
            "The source has a file '\(Printable.text(file))', and '\(Printable.text(below))' below a directory of that name; a directory can contain only one of them. Exclude the other one."
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
