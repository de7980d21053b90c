public import SegmentedDL
internal import SegmentedDLSupport
public import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An OCI image layout (OCI image specification 1.1, `image-layout.md`), as read by skopeo and podman. It may
/// contain several images.
public final class ImageLayout: Sendable {
    /// The file `index.json`.
    private struct Index: Codable {
        var schemaVersion = 2
        var mediaType: String? = ImageManifest.types[0]
        var artifactType: String?
        var manifests: [ImageDescriptor] = []
        var annotations: [String: String]?
    }

    /// The file `oci-layout`.
    private struct Layout: Codable {
        var imageLayoutVersion = "1.0.0"
    }

    /// The annotation that holds the tag.
    fileprivate static let tagKey = "org.opencontainers.image.ref.name"
    /// The annotation that holds the full name, as used by containerd.
    private static let nameKey = "io.containerd.image.name"
    private static let marker = "oci-layout"
    private static let list = "index.json"
    private static let longest = 16 << 20

    /// The directory of the layout: the root of the mirror.
    public let directory: FilePath

    private let location: RegistryLocation
    private let whole = Lock<RelativePath?>(nil)

    /// Creates a description of the layout of an image.
    public init(of source: RegistrySource, at directory: FilePath) {
        location = source.location
        self.directory = directory
    }

    /// Returns the entries unchanged, and records the top-level manifest. Iterate over it only once.
    public func entries(_ listed: MirrorEntries) -> AsyncMapSequence<MirrorEntries, MirrorEntry> {
        listed.map { [whole] entry in
            if case .item(let item) = entry {
                whole.withLock { $0 = $0 ?? item.path }
            }
            return entry
        }
    }

    /// Checks that the image can be added to the directory: its layout has version 1.0.0, and no other image
    /// in it has the tag. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath`, or an error of the file system.
    public func check() throws(DownloadError) {
        _ = try index()
        guard let bytes = try Self.contents(directory.appending(Self.marker)) else { return }
        guard let layout = try? JSONDecoder().decode(Layout.self, from: Data(bytes)),
            layout.imageLayoutVersion == Layout().imageLayoutVersion
        else {
            throw DownloadError(
                .badPath,
                "'\(directory)' contains a layout with a version other than 1.0.0, so the image was not added to it; use another directory."
            )
        }
    }

    /// Writes `oci-layout`, and the image's entry in `index.json`, replacing an earlier entry for its tag.
    /// Call this after all files are complete. Blocks.
    ///
    /// - Throws: The errors of `check()`.
    public func publish() throws(DownloadError) {
        try check()
        guard let path = whole.withLock({ $0 }), let digest = path.components.last else { return }
        let bytes = try Self.contents(directory.appending(path.text)) ?? []
        let manifest = try? JSONDecoder().decode(ImageManifest.self, from: Data(bytes))
        var line = ImageDescriptor(
            mediaType: manifest?.type ?? ImageManifest.types[1],
            digest: "\(path.components.dropLast().last ?? "sha256"):\(digest)", size: Int64(bytes.count))
        if let tag = location.tag { line.annotations = [Self.tagKey: tag, Self.nameKey: name] }
        var index = try index()
        index.manifests.removeAll { earlier in
            guard let tag = location.tag else { return earlier.tag == nil && earlier.digest == line.digest }
            return earlier.tag == tag
        }
        index.manifests.append(line)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let layoutText = try? encoder.encode(Layout()), let indexText = try? encoder.encode(index)
        else {
            return
        }
        try Self.write(Array(layoutText), to: directory.appending(Self.marker))
        try Self.write(Array(indexText), to: directory.appending(Self.list))
    }

    private func index() throws(DownloadError) -> Index {
        let place = directory.appending(Self.list)
        guard let bytes = try Self.contents(place) else { return Index() }
        guard let index = try? JSONDecoder().decode(Index.self, from: Data(bytes)) else {
            throw DownloadError(
                .badPath,
                "'\(place)' is not an image index, so the image was not added to it; move it away.")
        }
        guard let tag = location.tag else { return index }
        for line in index.manifests where line.tag == tag {
            guard let other = line.annotations?[Self.nameKey], other != name else { continue }
            throw DownloadError(
                .badPath,
                "'\(place)' has the tag '\(tag)' of another image (\(Printable.text(other))); use another directory."
            )
        }
        return index
    }

    /// The image's name in the notation of other tools.
    private var name: String { "\(location.registry)/\(location.repository):\(location.tag ?? "")" }

    /// Returns the path of a blob in a layout.
    static func path(_ digest: Checksum) -> String {
        "blobs/\(digest.algorithm.rawValue)/\(digest.hexadecimal)"
    }

    /// Returns true if a directory contains a layout. Blocks.
    package static func exists(at directory: FilePath) -> Bool {
        ((try? SystemCalls.statusIfThere(directory.appending(marker))) ?? nil) != nil
    }

    /// Returns true if the index of a layout contains an image. Blocks.
    static func lists(_ image: Checksum, in layout: FilePath) -> Bool {
        guard let bytes = try? contents(layout.appending(list)),
            let index = try? JSONDecoder().decode(Index.self, from: Data(bytes))
        else { return false }
        return index.manifests.contains { $0.digest == RegistryLocation.text(image) }
    }

    /// Returns a manifest stored in a layout; `nil` if it is missing or has a different digest. Blocks.
    static func manifest(_ digest: Checksum, in layout: FilePath) -> [UInt8]? {
        guard let bytes = try? contents(layout.appending(path(digest))), matches(bytes, digest) else {
            return nil
        }
        return bytes
    }

    /// Stores a manifest in a layout, unless it exists. Blocks.
    ///
    /// - Returns: True if the manifest did not exist.
    /// - Throws: `DownloadError` for an error of the file system.
    static func store(_ bytes: [UInt8], _ digest: Checksum, in layout: FilePath) throws(DownloadError) -> Bool
    {
        guard manifest(digest, in: layout) == nil else { return false }
        let place = layout.appending(path(digest))
        do throws(StorageError) {
            try storageCall("create", place.removingLastComponent()) {
                try HubLinks.makeDirectories(place.removingLastComponent())
            }
        } catch {
            throw error.asDownloadError
        }
        try write(bytes, to: place)
        return true
    }

    private static func write(_ bytes: [UInt8], to place: FilePath) throws(DownloadError) {
        do throws(StorageError) {
            try storageCall("write", place) { try HubLinks.write(bytes, to: place) }
        } catch {
            throw error.asDownloadError
        }
    }

    /// Returns true if the bytes have this digest.
    static func matches(_ bytes: [UInt8], _ digest: Checksum) -> Bool {
        guard let computed = try? Digest(digest.algorithm) else { return false }
        bytes.withUnsafeBytes { computed.update($0) }
        return computed.finishChecksum() == digest
    }

    /// Returns the beginning of a file; `nil` if it does not exist.
    private static func contents(_ path: FilePath) throws(DownloadError) -> [UInt8]? {
        do throws(StorageError) {
            return try storageCall("read", path) { try HubLinks.contents(of: path, atMost: longest) }
        } catch {
            throw error.asDownloadError
        }
    }
}

extension ImageDescriptor {
    /// The tag of the image in the layout.
    fileprivate var tag: String? { annotations?[ImageLayout.tagKey] }
}
