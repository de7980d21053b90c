public import SegmentedDL
public import SystemPackage

/// The source of a mirror's list of files.
#if hasAttribute(nonexhaustive)
    @nonexhaustive
#endif
public enum MirrorSource: Sendable, Hashable {
    /// A directory that a web server lists in HTML, and all directories below it.
    case index(Source)
    /// A bucket of an S3-compatible store, and the prefix of the keys to mirror. Requests are signed if the
    /// access has a key (`Credentials.awsSigV4`).
    case bucket(Source, prefix: String)
    /// A repository of a model hub, or a directory in it.
    case hub(HubSource)
    /// An image in a registry.
    case registry(RegistrySource)
    /// The assets of a repository's releases on GitHub.
    case releases(ReleasesSource)
    /// A project in an index of Python packages, by the URL of its page (PEP 503 and PEP 691).
    case packages(Source)
    /// A record of Zenodo or another repository on InvenioRDM, by the URL of its page or of the API.
    case record(Source)
    /// Suites of a Debian repository. Filters, a depth and shards are refused, because a suite needs all
    /// files listed in its indexes.
    case debian(DebianSource)
    /// A list at a URL.
    case list(Source, ListFormat)
    /// A list in a file.
    ///
    /// - Parameter base: The URL that names in a list of checksums are relative to.
    case file(FilePath, ListFormat, base: Source?)

    var isIndex: Bool { if case .index = self { true } else { false } }

    /// True for an image in a registry.
    package var isImage: Bool { if case .registry = self { true } else { false } }
}

extension Downloader {
    /// Returns the entries of a source. The first request is sent when the first entry is requested. Listings
    /// are fetched a few at a time as entries are requested, under this downloader's caps.
    ///
    /// - Parameters:
    ///   - source: The source of the list.
    ///   - filter: The paths to include. Unusable entries are returned unless they are known to be excluded.
    ///   - options: The limits of the walk.
    ///   - access: Headers and credentials for the source's server.
    public func entries(
        of source: MirrorSource, filter: PathFilter = PathFilter(), options: WalkOptions = WalkOptions(),
        access: MirrorAccess = MirrorAccess()
    ) -> MirrorEntries {
        MirrorEntries(
            source: source, filter: filter, options: options,
            fetch: ListingFetch(
                downloader: self, access: access, maximumBytes: options.listingSize))
    }
}

/// The entries of a `MirrorSource`, in its order.
///
/// A directory without a readable listing becomes an unusable entry; other directories are still listed. The
/// iteration throws a `DownloadError` if the source itself cannot be read, or is endless.
public struct MirrorEntries: AsyncSequence, Sendable {
    /// The type of the entries.
    public typealias Element = MirrorEntry

    let source: MirrorSource
    let filter: PathFilter
    let options: WalkOptions
    let fetch: ListingFetch
    /// The hub of `hf://` locations in a list in a file; `nil` to refuse them.
    package var hub: HubSettings?

    /// Returns an iterator that begins with the first entry.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// An iterator over the entries, which holds the entries of only one piece of a listing in memory.
    public struct Iterator: AsyncIteratorProtocol {
        private let entries: MirrorEntries
        private var pager: (any EntryPager)?
        private var batch: ArraySlice<MirrorEntry> = []

        fileprivate init(_ entries: MirrorEntries) {
            self.entries = entries
        }

        /// Returns the next entry; `nil` at the end.
        ///
        /// - Throws: `DownloadError`, or `CancellationError`.
        public mutating func next() async throws -> MirrorEntry? {
            while true {
                while let entry = batch.popFirst() {
                    if entries.filter.accepts(entry) { return entry }
                }
                if pager == nil { pager = try entries.makePager() }
                guard let next = try await pager?.next() else { return nil }
                batch = next[...]
            }
        }
    }

    /// - Parameter root: The directory in which a source may store its indexes; `nil` for none.
    func makePager(in root: FilePath? = nil) throws(DownloadError) -> any EntryPager {
        try options.validate()
        switch source {
        case .index(let start):
            return IndexPager(start: start, filter: filter, options: options, fetch: fetch)
        case .bucket(let endpoint, let prefix):
            let bucket = try S3Bucket(endpoint: endpoint, prefix: prefix)
            return BucketPager(bucket: bucket, fetch: fetch, maximumPages: options.directories)
        case .hub(let source):
            switch source.dialect {
            case .huggingFace:
                return HubPager(
                    source: source, filter: filter, fetch: fetch, maximumPages: options.directories)
            case .modelScope:
                return ModelScopePager(source: source, fetch: fetch, maximumPages: options.directories)
            }
        case .registry(let source):
            return RegistryPager(source: source, fetch: fetch, maximumPages: options.directories)
        case .releases(let source):
            return try ReleasesPager(source: source, fetch: fetch, maximumPages: options.directories)
        case .packages(let source):
            let place = try PackagePage.place(source)
            return DocumentPager(place, accepted: PackagePage.accepted, fetch: fetch) {
                document throws(DownloadError) in
                try PackagePage.entries(document.bytes, of: place, from: document.source)
            }
        case .record(let source):
            let place = try RecordPage.place(source)
            return DocumentPager(place, fetch: fetch) { document throws(DownloadError) in
                try RecordPage.entries(document.bytes, of: place)
            }
        case .debian(let source):
            try require(
                filter == PathFilter() && options.depth == nil,
                "A suite is mirrored with all files listed in its indexes; omit filters and depth, and select components and architectures."
            )
            return try DebianPager(source: source, fetch: fetch, root: root)
        case .list(let source, let format): return ListPager(source: source, format: format, fetch: fetch)
        case .file(let path, let format, let base):
            return try FilePager(path: path, format: format, base: base, hub: hub)
        }
    }
}

/// Returns true if the files and directories to which a page links show that it is not the listing of a
/// directory. The path of the first directory is `nil`.
typealias PageCheck = @Sendable (_ directory: RelativePath?, _ linked: [RelativePath]) async throws -> Bool

/// Reads the entries of a source in batches.
protocol EntryPager: AnyObject {
    /// Reads the next batch.
    ///
    /// - Returns: The next entries, possibly none; `nil` at the end.
    /// - Throws: `DownloadError`, or `CancellationError`.
    func next() async throws -> [MirrorEntry]?

    /// Returns the progress since the last call, to be stored together with the entries returned since then.
    func takeNotes() -> ListingNotes

    /// Resumes where an earlier run ended. Call this before all other methods.
    func resume(from state: ListingState) throws(DownloadError)

    /// Sets the check of pages that do not look like a listing. Without it, all are believed.
    func checkPages(_ check: @escaping PageCheck)

    /// The directory of the last entries, if they come from one.
    var directory: String { get }

    /// True if the next entries are available without waiting.
    var isAtHand: Bool { get }

    /// True if some of the returned files may be directories that the source does not mark.
    var mayHideDirectories: Bool { get }

    /// True if names excluded by the filter may be directories with selected files.
    var mayMissDirectories: Bool { get }

    /// Adds files that turned out to be directories. Their entries are returned next, even after the end.
    ///
    /// - Throws: `DownloadError` with code `badResponse` if there are too many directories.
    func add(_ directories: [ListingWalk.Directory]) throws(DownloadError)

    /// True if the next entries have already been requested, so that they arrive soon or not at all.
    var fetches: Bool { get }

    /// The final names to assign after all files are complete; `nil` before the end, or if there are none.
    var publication: Publication? { get }
}

/// The defaults for sources that are read as a whole.
extension EntryPager {
    func takeNotes() -> ListingNotes { ListingNotes() }
    func resume(from state: ListingState) {}
    func checkPages(_ check: @escaping PageCheck) {}
    var directory: String { "" }
    var isAtHand: Bool { false }
    var fetches: Bool { false }
    var mayHideDirectories: Bool { false }
    var mayMissDirectories: Bool { false }
    var publication: Publication? { nil }
    func add(_ directories: [ListingWalk.Directory]) {}
}
