internal import SegmentedDL
internal import SystemPackage

/// Lists suites of a Debian repository: first the indexes of a suite, then the files listed in them.
final class DebianPager: EntryPager {
    private let source: DebianSource
    private let indexes: DebianIndexes
    private var suites: ArraySlice<String>
    private var waiting: ArraySlice<DebianIndexes.List> = []
    private var open: OpenPoolList?
    /// The paths already listed: packages for all architectures are listed in each architecture's index.
    private var listed: Set<PathKey> = []
    private var published = Publication()
    /// The names that are assigned to indexes at the end.
    private var reserved: Set<RelativePath> = []
    private var isThrough = false

    /// - Parameter root: The directory in which indexes are stored; `nil` if nothing may be written.
    init(source: DebianSource, fetch: ListingFetch, root: FilePath?) throws(DownloadError) {
        try require(
            !source.suites.isEmpty,
            "'\(source.root)' is a repository; specify a suite, as in \(source.root)dists/stable/.")
        self.source = source
        suites = source.suites[...]
        indexes = DebianIndexes(source: source, fetch: fetch, root: root)
    }

    func next() async throws -> [MirrorEntry]? {
        if let open {
            guard let entries = try open.next() else {
                self.open = nil
                return []
            }
            return taken(entries.map(Self.packages))
        }
        if let list = waiting.popFirst() {
            open = try await indexes.open(list)
            return []
        }
        guard let name = suites.popFirst() else {
            isThrough = true
            return nil
        }
        let suite = try await indexes.suite(name)
        waiting = suite.lists[...]
        published.steps += suite.publication.steps
        published.obsolete += suite.publication.obsolete
        reserved.formUnion(suite.publication.steps.map(\.path))
        return taken(suite.entries)
    }

    var fetches: Bool { true }
    var isAtHand: Bool { open != nil }
    var publication: Publication? { isThrough ? published : nil }

    /// The prefixes of the names of indexes.
    private static let indexNames = ["InRelease", "Release", "Packages", "Sources"]

    /// Returns an entry for a package. It must not have the name of an index, because an attacker could use
    /// it to replace the index of another suite in the mirror.
    private static func packages(_ entry: MirrorEntry) -> MirrorEntry {
        guard case .item(let item) = entry else { return entry }
        let name = item.path.text.split(separator: "/").last ?? ""
        let isIndex = indexNames.contains { name == $0 || name.hasPrefix($0 + ".") }
        guard isIndex || item.path.text.hasPrefix("dists/") || name == "SHA256SUMS" else { return entry }
        return .unusable(
            UnusableEntry(
                place: item.sources.first?.description ?? item.path.text,
                reason: "'\(item.path)' is the name of an index or a list, so it cannot be a package."))
    }

    /// Returns the entries not yet listed. A path with another digest is returned again, to be reported as a
    /// failure.
    private func taken(_ entries: [MirrorEntry]) -> [MirrorEntry] {
        entries.compactMap { entry in
            guard case .item(let item) = entry else { return entry }
            guard listed.insert(PathKey(item)).inserted else { return nil }
            guard !reserved.contains(item.path) else {
                return .unusable(
                    UnusableEntry(
                        place: item.sources.first?.description ?? item.path.text,
                        reason: "'\(item.path)' is the name of an index, so it cannot be a package."))
            }
            return entry
        }
    }
}

/// A truncated digest of a path and its expected content, stored instead of the path: a repository may have
/// millions.
private struct PathKey: Hashable {
    private let first: UInt64
    private let second: UInt64

    init(_ item: MirrorItem) {
        let content = item.checksums.map(\.description).joined(separator: " ")
        let text = Digest.sha256("\(item.path)\n\(item.size ?? -1) \(content)".utf8)
        first = UInt64(text.prefix(16), radix: 16) ?? 0
        second = UInt64(text.dropFirst(16).prefix(16), radix: 16) ?? 0
    }
}
