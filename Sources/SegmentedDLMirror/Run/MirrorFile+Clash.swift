internal import SegmentedDL
internal import SegmentedDLDatabase

extension MirrorFile {
    /// Returns the error of a file, with the other name of the source that leaves it no place: a file cannot
    /// have the name of a directory, as two keys of a bucket can.
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
            "The source has a file '\(Printable.text(file))', and '\(Printable.text(below))' below a directory of that name; a directory holds one of them. Leave the other one out by a filter."
        )
    }
}

extension MirrorStore {
    /// Returns a path of a run's listings for which another one is a directory, or which is one for it; `nil`
    /// if there is none.
    fileprivate func otherKind(than path: RelativePath, in run: Run) throws(DownloadError) -> String? {
        var next = path.parent
        while let parent = next {
            if try lists(parent.text, in: run) { return parent.text }
            next = parent.parent
        }
        return try use { database in
            // The character behind the slash ends the paths that begin with it.
            try database.first(
                "SELECT path FROM file WHERE path > ? AND path < ? AND run = ? ORDER BY path LIMIT 1",
                [path.text + "/", path.text + "0", run.id]
            ) { try $0.text(0) }
        }
    }
}
