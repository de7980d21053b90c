internal import SegmentedDL
internal import SystemPackage

/// Fetches the indexes of a suite, and verifies each with the digest in the Release file.
struct DebianIndexes: Sendable {
    /// The indexes of a suite.
    struct Suite: Sendable {
        /// The indexes that list packages or sources.
        var lists: [List] = []
        /// All indexes, under names derived from their digests, which no other version of the suite uses.
        var entries: [MirrorEntry] = []
        var publication = Publication()
    }

    /// An index that lists packages or sources, ready to be read.
    struct List: Sendable {
        enum Content: Sendable {
            case bytes([UInt8])
            case file(FilePath)
        }

        var name: String
        var content: Content
        var packing: Unpacker.Packing
        var isOfSources: Bool
        /// True if the index was stored in the root, in which it was missing.
        var isStored = false
        /// The maximum length of the unpacked index, in bytes.
        var longest: Int64
    }

    /// The Release file of a suite, as received.
    private struct Release: Equatable {
        var bytes: [UInt8]
        /// True if the signature is inline.
        var isSigned: Bool
        var signature: [UInt8]?
        var place: Source
    }

    /// The maximum length in bytes of an unpacked index if the suite does not state it.
    private static let longest: Int64 = 4 << 30

    private let source: DebianSource
    private let fetch: ListingFetch
    private let root: FilePath?

    /// - Parameter root: The directory in which indexes are stored; `nil` if nothing may be written.
    init(source: DebianSource, fetch: ListingFetch, root: FilePath?) {
        self.source = source
        self.fetch = fetch
        self.root = root
    }

    /// Fetches the indexes of a suite that list packages or sources. If the suite changes in the meantime,
    /// they are fetched again once.
    ///
    /// - Throws: `DownloadError`, or `CancellationError`.
    func suite(_ name: String) async throws -> Suite {
        let directory = try DebianSource.directory(of: name)
        let release = try await release(in: directory)
        do {
            return try await suite(name, in: directory, release)
        } catch let error as DownloadError where error.status == 404 || error.code == .checksumMismatch {
            let newer = try await self.release(in: directory)
            guard newer != release else { throw error }
            return try await suite(name, in: directory, newer)
        }
    }

    private func suite(_ name: String, in directory: String, _ release: Release) async throws -> Suite {
        let file = try ReleaseFile(release.bytes, name: release.place.description)
        let selection = try ReleaseSelection(
            of: file, components: source.components, architectures: source.architectures,
            name: directory.isEmpty ? "'\(source.root)'" : "'\(directory)' of '\(source.root)'")
        var suite = Suite()
        var found = FoundForms()
        for list in selection.lists {
            suite.lists.append(try await fetched(list, in: directory, file.hasByHash, &found))
        }
        var listed: Set<RelativePath> = []
        // The selection leaves out uncompressed forms, but such a form may be the only one.
        let further = found.read.filter { !selection.files.contains($0) }
        for index in selection.files + further {
            let names = try Names(of: index, in: directory, file.hasByHash)
            // A client reads another form of the index, and must not find an old one under this name.
            guard !found.missing.contains(index.path) else {
                suite.publication.steps.append(.init(path: names.usual, content: .nothing))
                continue
            }
            suite.publication.steps.append(.init(path: names.usual, content: .file(names.byDigest)))
            guard listed.insert(names.byDigest).inserted else { continue }
            let places = try names.remotes.map { path throws(DownloadError) in try source.root.appending(path)
            }
            var item = MirrorItem(places, path: names.byDigest, size: index.size)
            item.checksums = [index.digest]
            item.isStoredByListing = found.stored.contains(names.byDigest)
            suite.entries.append(.item(item))
        }
        for index in selection.others {
            suite.publication.obsolete.append(try RelativePath(directory + index.path))
        }
        suite.publication.steps += try Self.steps(release, in: directory)
        return suite
    }

    /// The names that are assigned to the Release file after all other names.
    private static func steps(
        _ release: Release, in directory: String
    ) throws(DownloadError) -> [Publication.Step] {
        func step(_ name: String, _ bytes: [UInt8]?) throws(DownloadError) -> Publication.Step {
            Publication.Step(
                path: try RelativePath(directory + name), content: bytes.map { .bytes($0) } ?? .nothing)
        }
        // A client prefers InRelease, so an older one must not be kept next to a newer Release.
        return release.isSigned
            ? [
                try step("Release.gpg", nil), try step("Release", nil), try step("InRelease", release.bytes),
            ]
            : [
                try step("InRelease", nil), try step("Release.gpg", release.signature),
                try step("Release", release.bytes),
            ]
    }

    private func release(in directory: String) async throws -> Release {
        func place(_ name: String) throws(DownloadError) -> Source {
            try source.root.appending(try RelativePath(directory + name))
        }
        if let bytes = try await document(place("InRelease")) {
            return Release(bytes: bytes, isSigned: true, place: try place("InRelease"))
        }
        guard let bytes = try await document(place("Release")) else {
            throw DownloadError(
                .httpStatus,
                "'\(source.root)' has neither '\(directory)InRelease' nor '\(directory)Release', so that suite does not exist.",
                url: try place("Release").description, status: 404)
        }
        return Release(
            bytes: bytes, isSigned: false, signature: try await document(place("Release.gpg")),
            place: try place("Release"))
    }

    /// Returns a document; `nil` if the server does not have it.
    private func document(_ place: Source) async throws -> [UInt8]? {
        do {
            return try await fetch.fetch(place).bytes
        } catch let error as DownloadError where error.status == 404 {
            return nil
        }
    }

    // MARK: Lists

    /// The forms of indexes that were requested.
    private struct FoundForms {
        var read: [ReleaseFile.Index] = []
        /// The paths of those that were stored, and did not exist before.
        var stored: Set<RelativePath> = []
        /// The paths of listed forms that the server does not have.
        var missing: Set<String> = []
    }

    private func fetched(
        _ list: ReleaseSelection.List, in directory: String, _ hasByHash: Bool, _ found: inout FoundForms
    ) async throws -> List {
        var failure: DownloadError?
        for (packing, index) in list.forms where Unpacker.supports(packing) {
            let names = try Names(of: index, in: directory, hasByHash)
            for remote in names.remotes {
                do {
                    let read = try await fetched(
                        list, packing, index, names, at: source.root.appending(remote))
                    found.read.append(index)
                    if read.isStored { found.stored.insert(names.byDigest) }
                    return read
                } catch let error as DownloadError where error.status == 404 {
                    failure = error
                }
            }
            found.missing.insert(index.path)
        }
        throw failure
            ?? DownloadError(
                .badResponse,
                "'\(source.root)' has an index in '\(directory)' that is available neither uncompressed nor as .xz or .gz.",
                url: source.root.description)
    }

    private func fetched(
        _ list: ReleaseSelection.List, _ packing: Unpacker.Packing, _ index: ReleaseFile.Index,
        _ names: Names, at place: Source
    ) async throws -> List {
        let plain = list.forms.first { $0.packing == .none }?.index
        var read = List(
            name: try source.root.appending(names.usual).description, content: .bytes([]), packing: packing,
            isOfSources: list.isOfSources, longest: plain?.size ?? Self.longest)
        let kept = root?.appending(names.byDigest.text)
        if let kept, await DiskThread.run({ Self.isThere(index, at: kept) }) {
            read.content = .file(kept)
            return read
        }
        let bytes = try await fetch.fetch(place).bytes
        if Self.matches(bytes, index) {
            read.content = .bytes(bytes)
            if let kept {
                try await DiskThread.run { try Self.store(bytes, at: kept) }
                read.isStored = true
                read.content = .file(kept)
            }
        } else if let plain, Self.matches(bytes, plain) {
            // If the server declares the compression as a content encoding, it has been decoded already.
            read.content = .bytes(bytes)
            read.packing = .none
        } else {
            throw DownloadError(
                .checksumMismatch,
                "'\(place)' is not the index listed in the suite's Release file: its length of \(bytes.count) bytes or its digest differs.",
                url: place.description)
        }
        return read
    }

    private static func matches(_ bytes: [UInt8], _ index: ReleaseFile.Index) -> Bool {
        Int64(bytes.count) == index.size && ImageLayout.matches(bytes, index.digest)
    }

    private static func isThere(_ index: ReleaseFile.Index, at path: FilePath) -> Bool {
        guard let identity = FileIdentity.ofFile(at: path), identity.size == index.size,
            let bytes = try? HubLinks.contents(of: path, atMost: Int(index.size))
        else { return false }
        return matches(bytes, index)
    }

    private static func store(_ bytes: [UInt8], at path: FilePath) throws(DownloadError) {
        do throws(StorageError) {
            try storageCall("write", path) {
                try HubLinks.makeDirectories(path.removingLastComponent())
                try HubLinks.write(bytes, to: path)
            }
        } catch {
            throw error.asDownloadError
        }
    }

    /// Opens a list for reading its files.
    ///
    /// - Throws: `DownloadError`.
    func open(_ list: List) async throws -> OpenPoolList {
        let bytes: [UInt8]
        switch list.content {
        case .bytes(let held): bytes = held
        case .file(let path):
            bytes = try await DiskThread.run {
                try storageCall("read", path) { try HubLinks.contents(of: path, atMost: .max) ?? [] }
            }
        }
        return OpenPoolList(
            bytes, try Unpacker(list.packing, limit: list.longest, name: list.name),
            PoolList(isOfSources: list.isOfSources, root: source.root, name: list.name))
    }

    /// The names of an index.
    private struct Names {
        /// The name in the suite.
        let usual: RelativePath
        /// The name that is unique to this version of the suite.
        let byDigest: RelativePath
        /// The names on the server, the preferred one first: copies of a repository may lack the names by
        /// digest.
        let remotes: [RelativePath]

        init(
            of index: ReleaseFile.Index, in directory: String, _ hasByHash: Bool
        ) throws(DownloadError) {
            usual = try RelativePath(directory + index.path)
            let parent = usual.parent.map { $0.text + "/" } ?? ""
            let algorithm = index.digest.algorithm.rawValue.uppercased()
            byDigest = try RelativePath("\(parent)by-hash/\(algorithm)/\(index.digest.hexadecimal)")
            remotes = hasByHash ? [byDigest, usual] : [usual]
        }
    }
}

/// A list that is being parsed.
final class OpenPoolList {
    private static let pieceSize = 64 * 1024

    private let unpacker: Unpacker
    private var rest: ArraySlice<UInt8>
    private var pool: PoolList
    private var isFinished = false

    init(_ bytes: [UInt8], _ unpacker: Unpacker, _ pool: PoolList) {
        rest = bytes[...]
        self.unpacker = unpacker
        self.pool = pool
    }

    /// Returns further files; `nil` at the end.
    ///
    /// - Throws: `DownloadError`.
    func next() throws(DownloadError) -> [MirrorEntry]? {
        guard !isFinished else { return nil }
        guard !rest.isEmpty else {
            isFinished = true
            try unpacker.finish()
            return try pool.finish()
        }
        let piece = rest.prefix(Self.pieceSize)
        rest = rest.dropFirst(Self.pieceSize)
        var entries: [MirrorEntry] = []
        try unpacker.feed(piece) { bytes throws(DownloadError) in entries += try pool.feed(bytes) }
        return entries
    }
}
