import SegmentedDL
import SystemPackage

/// One file to check.
struct VerifyItem: Sendable {
    var path: FilePath
    var algorithm: Checksum.Algorithm
    /// What it must have; without it the digest is only told.
    var expected: Checksum?

    /// Longer files are taken for data without a look at what is in them.
    private static let longestList = 64 * 1024 * 1024

    /// What a name on the command line stands for: the files of a list, or the file itself.
    static func items(
        for name: String, checksum: Checksum?, algorithm: Checksum.Algorithm
    ) -> [VerifyItem] {
        let path = FilePath(name)
        if let checksum { return [VerifyItem(path: path, algorithm: checksum.algorithm, expected: checksum)] }
        guard let list = list(at: path) else { return [VerifyItem(path: path, algorithm: algorithm)] }
        let directory = path.removingLastComponent()
        return list.entries.map { entry in
            VerifyItem(
                path: directory.pushing(FilePath(entry.name)), algorithm: entry.checksum.algorithm,
                expected: entry.checksum)
        }
    }

    private static func list(at path: FilePath) -> ChecksumList? {
        // Non-blocking: a pipe of that name would be waited for without end.
        let text = try? TextFile.read(path.string, atMost: longestList, options: .nonBlocking)
        guard let text else { return nil }
        return ChecksumList(text)
    }
}
