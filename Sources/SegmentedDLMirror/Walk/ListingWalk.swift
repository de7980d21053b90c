internal import SegmentedDL

/// A walk over the directories of a tree: the next directory to list, and the entries of its listing.
///
/// Only directories below the first one are visited, each once, so that listings cannot form a loop. A loop
/// of symbolic links on the server ends at the maximum path length.
struct ListingWalk: Sendable {
    /// A directory to list.
    struct Directory: Equatable, Sendable {
        var source: Source
        /// The path below the first directory; `nil` for that directory itself.
        var path: RelativePath?

        var depth: Int { path?.components.count ?? 0 }
    }

    private let filter: PathFilter
    private let options: WalkOptions
    /// The directories to list, the next one last: depth first, so that few are queued at a time.
    private var frontier: [Directory]
    private var visited: Set<RelativePath> = []
    private var added: [Directory] = []

    /// The root of all paths: the first directory, after redirects.
    private(set) var root: Source

    /// - Parameter start: The first directory.
    init(start: Source, filter: PathFilter = PathFilter(), options: WalkOptions = WalkOptions()) {
        root = start
        frontier = [Directory(source: start, path: nil)]
        self.filter = filter
        self.options = options
    }

    /// True if a file was excluded by the filter that would be entered if it were a directory.
    private(set) var hasLeftOut = false

    /// True if more directories were found than allowed.
    private(set) var isFull = false

    /// Returns the directory to list next; `nil` if none is queued.
    mutating func next() -> Directory? { frontier.popLast() }

    /// Records the final URL of a directory's listing.
    ///
    /// The first directory may be redirected anywhere, for example from a name without the trailing slash, or
    /// to the latest release. All other directories must be at the URLs of their links, because other URLs
    /// belong to another tree.
    ///
    /// - Throws: `DownloadError` with code `badRedirect`.
    mutating func found(_ directory: Directory, at target: Source) throws(DownloadError) {
        guard directory.path != nil else {
            root = target
            return
        }
        guard target.origin == root.origin, URLPath(of: target) == URLPath(of: directory.source) else {
            throw DownloadError(
                .badRedirect,
                "The directory '\(directory.source)' was redirected to '\(target)', outside the tree; it is not followed.",
                url: directory.source.description)
        }
    }

    /// Adds the entries of a listing.
    ///
    /// - Returns: The selected files, and the unusable entries.
    /// - Throws: `DownloadError` with code `badResponse` if there are too many directories.
    mutating func take(_ entries: [IndexEntry]) throws(DownloadError) -> [MirrorEntry] {
        var result: [MirrorEntry] = []
        for entry in entries {
            switch entry {
            case .file(let source, let path):
                if filter.accepts(path) {
                    result.append(.item(MirrorItem([source], path: path)))
                } else if path.components.count <= options.depth ?? .max, filter.entersDirectory(path) {
                    hasLeftOut = true
                }
            case .directory(let source, let path):
                try add(Directory(source: source, path: path))
            case .unusable(let entry):
                result.append(.unusable(entry))
            }
        }
        return result
    }

    /// Adds a directory to list if it is selected and new.
    ///
    /// - Throws: The errors of `take`.
    mutating func add(_ directory: Directory) throws(DownloadError) {
        guard let path = directory.path, directory.depth <= options.depth ?? .max,
            filter.entersDirectory(path), !visited.contains(path)
        else { return }
        guard visited.count < options.directories - 1 else {
            isFull = true
            throw DownloadError(
                .badResponse,
                "'\(root)' has more than \(options.directories) directories; its listings may be endless. Set a depth, or exclude some.",
                url: root.description)
        }
        visited.insert(path)
        frontier.append(directory)
        added.append(directory)
    }

    // MARK: Resuming

    /// Returns the directories added since the last call.
    mutating func takeAdded() -> [Directory] {
        defer { added = [] }
        return added
    }

    /// Skips the directories that an earlier start has listed.
    ///
    /// - Throws: `DownloadError` with code `invalidURL` if a stored directory URL is invalid.
    mutating func resume(from state: ListingState) throws(DownloadError) {
        let start = root
        // The final URL of the first directory is stored together with its listing.
        guard let url = state.root, state.directories.contains(where: { $0.path == nil && $0.isListed })
        else {
            return
        }
        root = try Source(url).with(credentialsOf: start)
        // The names that an earlier start excluded are not stored.
        hasLeftOut = filter != PathFilter()
        frontier = []
        for directory in state.directories {
            guard let path = directory.path else { continue }
            visited.insert(path)
            guard !directory.isListed else { continue }
            let source = try Source(directory.url).with(credentialsOf: start)
            frontier.append(Directory(source: source, path: path))
        }
    }
}
