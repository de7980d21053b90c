public import SystemPackage

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The content of an unfinished download's manifest.
public struct ManifestInfo: Sendable, Hashable {
    /// The URL, without credentials and query.
    public var url: String
    /// The file's length in bytes.
    public var length: Int64
    /// The remote file's ETag, if the server sent one.
    public var etag: String?
    /// The remote file's Last-Modified, if the server sent one.
    public var lastModified: String?
    /// The ranges that were written when the manifest was saved.
    public var writtenRanges: [ByteRange]
    /// The ranges that were also durable.
    public var durableRanges: [ByteRange]
    /// True if the machine has not been rebooted since: written ranges can then be trusted.
    public var isFromThisBoot: Bool
    /// `updated` in seconds since 1970, as stored in the manifest.
    package let updatedSeconds: Int64

    /// The time at which the manifest was saved.
    public var updated: Date { Date(timeIntervalSince1970: Double(updatedSeconds)) }

    /// The ranges that a resume would trust now.
    public var trustedRanges: [ByteRange]

    /// Reads a manifest, `NAME.part.segdl`. Blocks on the disk.
    ///
    /// - Throws: `DownloadError` with code `badPath` if it is missing, damaged, or not a manifest.
    public init(path: FilePath) throws(DownloadError) {
        let content: ManifestStore.Content
        do {
            content = try ManifestStore(path: path).load()
        } catch {
            throw error.asDownloadError
        }
        switch content {
        case .absent:
            throw DownloadError(.badPath, "'\(path)' does not exist.")
        case .damaged(let damage):
            throw DownloadError(.badPath, "'\(path)' \(damage.explanation).")
        case .manifest(let manifest):
            self.init(manifest)
        }
    }

    private init(_ manifest: Manifest) {
        url = manifest.url
        length = manifest.total
        etag = manifest.etag
        lastModified = manifest.lastModified
        writtenRanges = Array(Manifest.rangeSet(manifest.written, within: manifest.total).ranges)
        durableRanges = Array(Manifest.rangeSet(manifest.durable, within: manifest.total).ranges)
        trustedRanges = Array(manifest.trusted(boot: BootIdentity.current).ranges)
        isFromThisBoot = manifest.isFrom(boot: BootIdentity.current)
        updatedSeconds = manifest.updated
    }
}

extension ManifestCodec.Damage {
    fileprivate var explanation: String {
        switch self {
        case .foreign: "is not the manifest of an unfinished download"
        case .version(let version):
            "was written by another version (format \(version)); use that one, or start the download over"
        case .checksum: "is damaged: its checksum is wrong"
        case .content: "is damaged: its content is invalid"
        }
    }
}
