public import SegmentedDL
internal import SegmentedDLSupport
public import SystemPackage

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// An OCI image layout (OCI image specification 1.1, `image-layout.md`), which skopeo and podman read. It may
/// hold several images.
public final class ImageLayout: Sendable {
    /// The file `index.json`.
    private struct Index: Codable {
        var schemaVersion = 2
        var mediaType: String? = ImageManifest.types[0]
        var manifests: [ImageDescriptor] = []
        var annotations: [String: String]?
    }

    /// The annotation with the tag.
    private static let nameKey = "org.opencontainers.image.ref.name"
    private static let version = #"{"imageLayoutVersion":"1.0.0"}"#
    private static let longest = 16 << 20

    /// The directory of the layout: the root of the mirror.
    public let directory: FilePath

    private let location: RegistryLocation
    private let whole = Lock<RelativePath?>(nil)

    /// Names the layout of an image.
    public init(of source: RegistrySource, at directory: FilePath) {
        location = source.location
        self.directory = directory
    }

    /// Returns the entries as they are, and notes the manifest of the whole. Iterate it once.
    public func entries(_ listed: MirrorEntries) -> AsyncMapSequence<MirrorEntries, MirrorEntry> {
        listed.map { [whole] entry in
            if case .item(let item) = entry {
                whole.withLock { $0 = $0 ?? item.path }
            }
            return entry
        }
    }

    /// Writes `oci-layout`, and the image's line in `index.json` in the place of an earlier one of its tag.
    /// Call it once all files are there. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath` for an `index.json` that cannot be read; `Errno`.
    public func publish() throws {
        guard let path = whole.withLock({ $0 }), let digest = path.components.last else { return }
        let bytes = try Self.read(directory.appending(path.text)) ?? []
        let manifest = try? JSONDecoder().decode(ImageManifest.self, from: Data(bytes))
        var line = ImageDescriptor(
            mediaType: manifest?.type ?? ImageManifest.types[1],
            digest: "\(path.components.dropLast().last ?? "sha256"):\(digest)", size: Int64(bytes.count))
        if let tag = location.tag { line.annotations = [Self.nameKey: tag] }
        let place = directory.appending("index.json")
        var index = Index()
        if let earlier = try Self.read(place) {
            guard let read = try? JSONDecoder().decode(Index.self, from: Data(earlier)) else {
                throw DownloadError(
                    .badPath,
                    "'\(place)' is no index of images, so the image is not added to it; move it away.")
            }
            index = read
        }
        index.manifests.removeAll {
            $0.annotations?[Self.nameKey] == location.tag && $0.digest != line.digest || $0 == line
        }
        index.manifests.append(line)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        try HubLinks.write(Self.version, to: directory.appending("oci-layout"))
        try HubLinks.write(String(decoding: try encoder.encode(index), as: UTF8.self), to: place)
    }

    /// Returns the path of a blob in a layout.
    static func path(_ digest: Checksum) -> String {
        "blobs/\(digest.algorithm.rawValue)/\(digest.hexadecimal)"
    }

    /// Returns a manifest that is in a layout; `nil` if it is not, or has another digest. Blocks.
    static func manifest(_ digest: Checksum, in layout: FilePath) -> [UInt8]? {
        guard let bytes = try? read(layout.appending(path(digest))), matches(bytes, digest) else {
            return nil
        }
        return bytes
    }

    /// Stores a manifest in a layout. Blocks.
    ///
    /// - Throws: `Errno`.
    static func store(_ bytes: [UInt8], _ digest: Checksum, in layout: FilePath) throws {
        let place = layout.appending(path(digest))
        try HubLinks.makeDirectories(place.removingLastComponent())
        try HubLinks.write(String(decoding: bytes, as: UTF8.self), to: place)
    }

    /// Returns true if bytes have a digest.
    static func matches(_ bytes: [UInt8], _ digest: Checksum) -> Bool {
        guard let computed = try? Digest(digest.algorithm) else { return false }
        bytes.withUnsafeBytes { computed.update($0) }
        return computed.finishChecksum() == digest
    }

    private static func read(_ path: FilePath) throws -> [UInt8]? {
        let file: FileDescriptor
        do {
            file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return nil
        }
        return try file.closeAfter {
            var bytes: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
            defer { buffer.deallocate() }
            while bytes.count <= longest {
                let count = try file.read(into: buffer)
                if count == 0 { break }
                bytes.append(contentsOf: buffer[..<count])
            }
            return bytes
        }
    }
}
