@testable import SegmentedDL

extension Manifest {
    /// A manifest of a file of 1000 bytes, half of it written and a quarter durable.
    static func fixture(
        total: Int64 = 1000, written: [[Int64]] = [[0, 250], [500, 750]], durable: [[Int64]] = [[0, 250]]
    ) -> Manifest {
        Manifest(
            url: "https://host.example/file", urlDigest: Digest.sha256("https://host.example/file".utf8),
            total: total,
            etag: "\"abc\"", lastModified: "Sun, 06 Nov 1994 08:49:37 GMT", inode: 42, boot: "boot-1",
            written: written, durable: durable, updated: 784_111_777)
    }
}
