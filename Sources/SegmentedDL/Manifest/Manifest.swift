/// The sidecar of an unfinished download: the file's identity, and the byte ranges on disk.
///
/// It never claims more than the disk holds. `docs/manifest-format.md` describes the file.
package struct Manifest: Codable, Equatable, Sendable {
    /// The format's version. A manifest of another version cannot be read.
    package static let version = 1

    /// The URL without credentials and query, for human readers.
    package var url: String

    /// SHA-256 of the whole URL without credentials: identifies the URL without storing its secrets.
    package var urlDigest: String

    /// SHA-256 of the URL that supplied the validators; `nil` if it is the same.
    package var validatorsOf: String?

    /// SHA-256 of the URLs of further sources.
    package var mirrors: [String]?

    /// The file's length in bytes.
    package var total: Int64

    /// The remote file's validators, as the server sent them.
    package var etag: String?
    package var lastModified: String?

    /// The server's digest of the whole file.
    var serverDigest: ServerDigest?

    /// The inode number of `NAME.part`: reveals a file that has replaced it.
    package var inode: UInt64

    /// The inode number of the copy that will have the final name, if that is on another file system.
    package var copyInode: UInt64?

    /// The boot during which the ranges were written.
    package var boot: String

    /// The written ranges, each as its first byte and the byte after its last.
    package var written: [[Int64]]

    /// The ranges that are also durable: they survive a power cut.
    package var durable: [[Int64]]

    /// The fingerprints of the written ranges. Without them the ranges are trusted unchecked.
    package var extents: ExtentList?

    /// The extents when `durable` was synced, if they have changed since.
    package var durableExtents: ExtentList?

    /// The time of this manifest, in seconds since 1970.
    package var updated: Int64

    /// Returns the ranges to trust on this boot, if their extents are intact.
    package func trusted(boot current: String) -> ByteRangeSet {
        let ranges = Self.rangeSet(isFrom(boot: current) ? written : durable, within: total)
        return extents(boot: current).map { ranges.intersection($0.covered) } ?? ranges
    }

    /// Returns the extents of the trusted ranges; `nil` if no fingerprints were taken.
    package func extents(boot current: String) -> ExtentList? {
        guard var extents, !isFrom(boot: current) else { return extents }
        if let durableExtents { extents.insert(contentsOf: durableExtents) }
        return extents
    }

    /// Returns true if all bytes of the file can be trusted on this boot.
    package func trustsAll(boot current: String) -> Bool {
        trusted(boot: current).gaps(in: 0..<total).isEmpty
    }

    /// Returns true if the manifest was written during that boot. An unknown boot never matches.
    package func isFrom(boot current: String) -> Bool {
        !boot.isEmpty && boot == current
    }

    /// True if all ranges lie inside the file, in order and disjoint.
    package var isSound: Bool {
        total >= 0
            && serverDigest?.part.map { $0.lowerBound >= 0 && $0.upperBound <= total } ?? true
            && [written, durable].allSatisfy { ranges in
                var end: Int64 = 0
                for range in ranges {
                    guard range.count == 2, range[0] >= end, range[0] < range[1], range[1] <= total else {
                        return false
                    }
                    end = range[1]
                }
                return true
            }
    }

    package static func list(_ ranges: ByteRangeSet) -> [[Int64]] {
        ranges.ranges.map { [$0.lowerBound, $0.upperBound] }
    }

    package static func rangeSet(_ list: [[Int64]], within total: Int64) -> ByteRangeSet {
        var set = ByteRangeSet()
        for range in list where range.count == 2 {
            let (lower, upper) = (max(0, range[0]), min(total, range[1]))
            if lower < upper { set.insert(contentsOf: lower..<upper) }
        }
        return set
    }
}
