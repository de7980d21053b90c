internal import SegmentedDL

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Lists an image manifest by manifest.
final class RegistryPager: EntryPager {
    /// The maximum size of a manifest in bytes; registries accept 4 MiB (OCI distribution specification 1.1).
    private static let longest = 16 << 20

    private let source: RegistrySource
    private let fetch: ListingFetch
    private var pages: PageCount
    private var isBegun = false
    private var whole: Checksum?
    private var waiting: [ImageDescriptor] = []
    private var listed: Set<Checksum> = []
    /// The platforms found in the indexes that were searched.
    private var platforms: [String] = []

    init(source: RegistrySource, fetch: ListingFetch, maximumPages: Int) {
        self.source = source
        var fetch = fetch
        fetch.access.headers.append(HTTPHeader("Accept", ImageManifest.types.joined(separator: ", ")))
        self.fetch = fetch
        pages = PageCount(maximum: maximumPages)
    }

    func next() async throws -> [MirrorEntry]? {
        guard isBegun else {
            isBegun = true
            let place = try source.location.manifestURL(source.location.reference, on: source.endpoint)
            return try await entries(of: place, source.location.digest)
        }
        guard !waiting.isEmpty else {
            try checkFound()
            await noteReferrers()
            return nil
        }
        let descriptor = waiting.removeFirst()
        let digest = try digest(of: descriptor)
        guard !listed.contains(digest) else { return [] }
        let place = try source.location.manifestURL(
            RegistryLocation.text(digest), on: source.endpoint)
        return try await entries(of: place, digest, descriptor)
    }

    /// - Throws: `DownloadError` with code `httpStatus`, like a missing tag, if no index has the requested
    ///   platform.
    private func checkFound() throws(DownloadError) {
        guard let platform = source.platform, whole == nil else { return }
        let known = platforms.map { Printable.text($0) }.joined(separator: ", ")
        let place = try source.location.manifestURL(source.location.reference, on: source.endpoint)
        throw DownloadError(
            .httpStatus,
            "\(source.location): there is no image for \(platform)"
                + (known.isEmpty ? "." : "; available: \(known)."), url: place.description)
    }

    /// - Parameter named: The descriptor of the manifest; `nil` for the top-level one.
    private func entries(
        of place: Source, _ known: Checksum?, _ named: ImageDescriptor? = nil
    ) async throws -> [MirrorEntry] {
        try pages.add("'\(source.location)'", "manifests", at: place)
        let (bytes, contentType) = try await manifest(place, known, isNamed: named != nil)
        let digest = try known ?? Checksum(.sha256, Digest.sha256(bytes))
        guard let manifest = try? JSONDecoder().decode(ImageManifest.self, from: Data(bytes)),
            manifest.isReadable
        else { throw source.unreadable(place, bytes) }
        guard !manifest.isAmbiguous(contentType) else { throw source.ambiguous(place) }
        if let named, named.size != Int64(bytes.count) {
            throw DownloadError(
                .badResponse,
                "'\(place)' has \(bytes.count) bytes, but \(named.size) according to its index.",
                url: place.description)
        }
        if let platform = source.platform, whole == nil {
            guard manifest.manifests == nil else {
                select(platform, of: manifest)
                return []
            }
            // The index has already given the platform of its manifests.
            if named?.platform == nil { try await check(platform, of: manifest) }
        }
        var isStored = false
        if let layout = source.layout {
            isStored = try await DiskThread.run { try ImageLayout.store(bytes, digest, in: layout) }
        }
        whole = whole ?? digest
        waiting += (manifest.manifests ?? []).filter(\.isManifest)
        return try files(of: manifest, place, digest, size: Int64(bytes.count), isStored: isStored)
    }

    /// Continues with the manifest for a platform, or searches nested indexes for it.
    private func select(_ platform: ImagePlatform, of index: ImageManifest) {
        if let one = index.manifest(for: platform) {
            waiting = [one]
        } else {
            platforms += index.platforms
            waiting += (index.manifests ?? []).filter(\.isIndex)
        }
    }

    /// Checks the platform of an image that is not in an index.
    private func check(_ platform: ImagePlatform, of manifest: ImageManifest) async throws {
        guard let config = manifest.config else { return }
        let place = try source.location.blobURL(try digest(of: config), on: source.endpoint)
        let document = try await fetch.fetch(place)
        guard
            let own = try? JSONDecoder().decode(ImageDescriptor.Platform.self, from: Data(document.bytes)),
            !platform.includes(own)
        else { return }
        platforms = [own.text]
        try checkFound()
    }

    /// Returns a manifest, and the media type stated by the registry.
    private func manifest(
        _ place: Source, _ known: Checksum?, isNamed: Bool
    ) async throws -> (bytes: [UInt8], contentType: String?) {
        if let known, let layout = source.layout,
            let bytes = await DiskThread.run({ ImageLayout.manifest(known, in: layout) })
        {
            return (bytes, nil)
        }
        let document: DocumentFetch.Document
        do {
            document = try await fetch.fetch(place)
        } catch let error as DownloadError {
            // An error of the token service already contains a remedy.
            guard error.url == place.description else { throw error }
            guard isNamed, error.status == 404 else {
                throw source.explained(error, hasLogin: fetch.access.hasSentLogin)
            }
            throw DownloadError(
                .httpStatus,
                "\(source.location): the registry does not have '\(place)', which is listed in the image's index; the image is incomplete.",
                url: place.description, status: 404)
        }
        guard document.bytes.count <= Self.longest else {
            throw source.tooLong(place, document.bytes.count, limit: Self.longest)
        }
        let stated = document.statedDigest.flatMap { try? RegistryLocation.digest($0) }
        if let expected = known ?? stated, !ImageLayout.matches(document.bytes, expected) {
            // The digest of a manifest of schema version 1 does not include its signatures.
            guard !RegistrySource.isOfFirstSchema(document.bytes) else {
                throw source.unreadable(place, document.bytes)
            }
            let owner =
                known == nil ? "the digest that the registry states (Docker-Content-Digest)" : "its digest"
            throw DownloadError(
                .checksumMismatch, "'\(place)' does not match \(owner).", url: place.description)
        }
        return (document.bytes, document.contentType)
    }

    private func files(
        of manifest: ImageManifest, _ place: Source, _ digest: Checksum, size: Int64, isStored: Bool
    ) throws(DownloadError) -> [MirrorEntry] {
        var items: [MirrorItem] = []
        if listed.insert(digest).inserted {
            var item = try item(digest, size: size, from: [place])
            item.headers = [HTTPHeader("Accept", manifest.type)]
            item.isStoredByListing = isStored
            items.append(item)
        }
        // An index may list content other than manifests, as those of build caches do.
        let others = (manifest.manifests ?? []).filter { !$0.isManifest }
        let blobs = [manifest.config].compactMap { $0 } + (manifest.layers ?? []) + (manifest.blobs ?? [])
        for blob in blobs + others {
            let digest = try self.digest(of: blob)
            guard blob.size >= 0 else {
                throw DownloadError(
                    .badResponse,
                    "'\(place)' gives a size of \(blob.size) bytes for '\(RegistryLocation.text(digest))'.",
                    url: place.description)
            }
            guard listed.insert(digest).inserted else { continue }
            let others = (blob.urls ?? []).compactMap { try? Source($0) }
            let own = try source.location.blobURL(digest, on: source.endpoint)
            items.append(try item(digest, size: blob.size, from: [own] + others))
        }
        return items.map { .item($0) }
    }

    private func item(
        _ digest: Checksum, size: Int64, from sources: [Source]
    ) throws(DownloadError) -> MirrorItem {
        var item = MirrorItem(sources, path: try RelativePath(ImageLayout.path(digest)))
        item.size = size
        item.checksums = [digest]
        return item
    }

    private func digest(of descriptor: ImageDescriptor) throws(DownloadError) -> Checksum {
        do {
            return try RegistryLocation.digest(descriptor.digest)
        } catch {
            throw DownloadError(.badResponse, "\(source.location): \(error.message)")
        }
    }

    /// Logs that artifacts that refer to the image, such as signatures, are omitted. Not every registry lists
    /// them. The run that completed the image has already logged it.
    private func noteReferrers() async {
        guard let whole, await !isPublished(whole),
            let place = try? source.location.referrersURL(whole, on: source.endpoint),
            let document = try? await fetch.fetchApart(place),
            let index = try? JSONDecoder().decode(ImageManifest.self, from: Data(document.bytes)),
            let referrers = index.manifests, !referrers.isEmpty
        else { return }
        let types = Set(referrers.map { Printable.text($0.artifactType ?? $0.mediaType) }).sorted()
        fetch.downloader.note(
            "\(source.location): artifacts that refer to the image are omitted (\(types.joined(separator: ", ")))"
        )
    }

    /// Returns true if an earlier run has completed an image in the layout.
    private func isPublished(_ image: Checksum) async -> Bool {
        guard let layout = source.layout else { return false }
        return await DiskThread.run { ImageLayout.lists(image, in: layout) }
    }

    var fetches: Bool { true }
}
