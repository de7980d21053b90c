public import SegmentedDL
internal import SegmentedDLSupport
public import SystemPackage

/// A repository in the cache that `huggingface_hub` reads: `blobs` contains each file once, named after its
/// content, `snapshots/COMMIT` contains links to the files, and `refs/REVISION` contains the commit.
public final class HubCache: Sendable {
    private struct Seen {
        var commit: String?
        var blobs: Set<String> = []
        var links: [(path: RelativePath, blob: String)] = []
    }

    private static let blobsName = "blobs"

    /// The repository's directory: `models--OWNER--NAME` in the cache.
    public let directory: FilePath

    private let source: HubSource
    private let seen = Lock(Seen())

    /// Creates a description of a repository in a cache, such as `~/.cache/huggingface/hub`.
    ///
    /// - Throws: `DownloadError` with code `invalidSetting` if the source is only a part of a repository.
    public init(of source: HubSource, in cache: FilePath) throws(DownloadError) {
        try require(
            source.location.path.isEmpty,
            "The cache holds whole repositories; specify '\(source.location.repository)' without a path, and filter with --include."
        )
        try require(
            source.dialect == .huggingFace,
            "The cache is that of huggingface_hub, whose layout needs a commit, which ModelScope's API does not provide; omit --hf-cache."
        )
        self.source = source
        let name = source.location.repository.replacing("/", with: "--")
        directory = cache.appending("\(source.location.kind.rawValue)--\(name)")
    }

    /// The directory of the files: the root of the mirror.
    public var blobs: FilePath { directory.appending(Self.blobsName) }

    /// The path of `blobs` in the cache, with a trailing slash.
    package var blobsInCache: String {
        "\(directory.lastComponent?.string ?? "")/\(Self.blobsName)/"
    }

    /// Returns the cache that a directory is or, as a repository, belongs to; `nil` for any other directory.
    /// Blocks.
    package static func cache(at path: FilePath) -> FilePath? {
        if isRepository(path) {
            let parent = path.removingLastComponent()
            return parent.isEmpty ? "." : parent
        }
        guard let directory = try? FileDescriptor.open(path, .readOnly, options: [.directory, .closeOnExec])
        else { return nil }
        defer { try? directory.close() }
        var isCache = false
        try? SystemCalls.forEachName(in: directory) { name in
            isCache = isCache || name.map { isRepository(path.appending($0)) } ?? false
        }
        return isCache ? path : nil
    }

    private static func isRepository(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string ?? ""
        guard HubLocation.Kind.allCases.contains(where: { name.hasPrefix("\($0.rawValue)--") }) else {
            return false
        }
        return (try? SystemCalls.statusFollowingLinks(path.appending(blobsName)))?.kind == .directory
    }

    /// Returns the entries with the names of their content in the cache, and records the links to them.
    /// Reports of the mirror still name the paths in the repository. Iterate over it only once.
    public func entries(_ listed: MirrorEntries) -> AsyncCompactMapSequence<MirrorEntries, MirrorEntry> {
        listed.compactMap { [self] in blob($0) }
    }

    private func blob(_ entry: MirrorEntry) -> MirrorEntry? {
        guard case .item(var item) = entry else { return entry }
        // The ETag of a small file is the ID of its Git object in quotation marks.
        let name = item.checksums.first?.hexadecimal ?? item.etag.map { String($0.dropFirst().dropLast()) }
        guard let name, HubPage.isObjectID(name), let path = try? RelativePath(name),
            let commit = item.sources.first.flatMap({ source.location.commit(ofFile: $0.url) })
        else {
            return .unusable(
                UnusableEntry(place: item.path.text, reason: "The hub provides no digest of the file."))
        }
        let isNew = seen.withLock { seen in
            seen.commit = commit
            seen.links.append((item.path, name))
            return seen.blobs.insert(name).inserted
        }
        guard isNew else { return nil }
        item.pathAtSource = item.path
        item.path = path
        return .item(item)
    }

    /// Writes the links to the files, and the commit of the revision. Call this after all files are complete.
    /// Blocks.
    ///
    /// - Throws: `Errno`.
    public func publish() throws {
        let (commit, links) = seen.withLock { ($0.commit, $0.links) }
        guard let commit else { return }
        let snapshot = directory.appending("snapshots").appending(commit)
        for (path, blob) in links {
            let link = snapshot.appending(path.text)
            try HubLinks.makeDirectories(link.removingLastComponent())
            let up = String(repeating: "../", count: path.components.count + 1)
            try HubLinks.makeLink(link, to: "\(up)\(Self.blobsName)/\(blob)")
        }
        let revision = source.revision
        guard revision != commit, let name = try? RelativePath(revision) else { return }
        let reference = directory.appending("refs").appending(name.text)
        try HubLinks.makeDirectories(reference.removingLastComponent())
        try HubLinks.write(commit, to: reference)
    }
}
