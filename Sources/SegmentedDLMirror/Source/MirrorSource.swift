public import SegmentedDL
public import SystemPackage

/// Where the files of a mirror are named.
public enum MirrorSource: Sendable, Hashable {
    /// A directory that a web server lists in HTML, and those below it.
    case index(Source)
    /// A bucket of an S3-compatible store, and what the wanted keys begin with. Its requests are signed if the access holds
    /// a key (``Credentials/awsSigV4(accessKeyID:secretAccessKey:sessionToken:region:service:)``).
    case bucket(Source, prefix: String)
    /// A list at a URL.
    case list(Source, ListFormat)
    /// A list in a file.
    ///
    /// - Parameter base: What names in a list of checksums are relative to.
    case file(FilePath, ListFormat, base: Source?)
}

extension Downloader {
    /// The entries of a source. Nothing is asked for before the first one is, and listings are fetched a few at a time, as
    /// their entries are needed, under this downloader's caps.
    ///
    /// - Parameters:
    ///   - source: Where the files are named.
    ///   - filter: Which paths are wanted. What cannot be used is told of whatever it says.
    ///   - options: How far listings are followed.
    ///   - access: What the source's server gets to see.
    public func entries(
        of source: MirrorSource, filter: PathFilter = PathFilter(), options: WalkOptions = WalkOptions(),
        access: MirrorAccess = MirrorAccess()
    ) -> MirrorEntries {
        MirrorEntries(
            source: source, filter: filter, options: options,
            fetch: listingFetch(limit: options.listingSize, access: access))
    }
}

/// The entries of a `MirrorSource`, in its order.
///
/// A directory whose listing cannot be had is an unusable entry, and the others are listed all the same. The iteration
/// ends with a `DownloadError` if the source itself cannot be read, or has no end.
public struct MirrorEntries: AsyncSequence, Sendable {
    /// What it gives.
    public typealias Element = MirrorEntry

    let source: MirrorSource
    let filter: PathFilter
    let options: WalkOptions
    let fetch: ListingFetch

    /// Begins with the first entry.
    public func makeAsyncIterator() -> Iterator { Iterator(self) }

    /// Goes through the entries; it holds those of one piece of one listing.
    public struct Iterator: AsyncIteratorProtocol {
        private let entries: MirrorEntries
        private var pager: (any EntryPager)?
        private var batch: ArraySlice<MirrorEntry> = []

        fileprivate init(_ entries: MirrorEntries) {
            self.entries = entries
        }

        /// The next entry; `nil` at the end.
        ///
        /// - Throws: `DownloadError`, or `CancellationError`.
        public mutating func next() async throws -> MirrorEntry? {
            while true {
                while let entry = batch.popFirst() {
                    if case .item(let item) = entry, !entries.filter.accepts(item.path) { continue }
                    return entry
                }
                if pager == nil { pager = try entries.makePager() }
                guard let next = try await pager?.next() else { return nil }
                batch = next[...]
            }
        }
    }

    func makePager() throws(DownloadError) -> any EntryPager {
        try options.validate()
        switch source {
        case .index(let start):
            return IndexPager(start: start, filter: filter, options: options, fetch: fetch)
        case .bucket(let endpoint, let prefix):
            let bucket = try S3Bucket(endpoint: endpoint, prefix: prefix)
            return BucketPager(bucket: bucket, fetch: fetch, mostPages: options.directories)
        case .list(let source, let format): return ListPager(source: source, format: format, fetch: fetch)
        case .file(let path, let format, let base):
            return try FilePager(path: path, format: format, base: base)
        }
    }
}

/// Gives a source's entries in batches.
protocol EntryPager: AnyObject {
    /// - Returns: The next entries, which may be none; `nil` at the end.
    /// - Throws: `DownloadError`, or `CancellationError`.
    func next() async throws -> [MirrorEntry]?

    /// How far it has come since this was called last: with the entries given since, all of it can be stored.
    func takeNotes() -> ListingNotes

    /// Begins where an earlier run has come to. Called before anything else.
    func resume(from state: ListingState) throws(DownloadError)

    /// The directory that the last entries are of, if they are of one.
    var directory: String { get }

    /// Whether the next entries are there without a wait.
    var isAtHand: Bool { get }

    /// Whether entries that are not at hand are asked for, and come soon or never.
    var fetches: Bool { get }
}

/// A list is read as a whole.
extension EntryPager {
    func takeNotes() -> ListingNotes { ListingNotes() }
    func resume(from state: ListingState) {}
    var directory: String { "" }
    var isAtHand: Bool { false }
    var fetches: Bool { false }
}
