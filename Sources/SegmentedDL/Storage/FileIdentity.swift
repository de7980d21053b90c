internal import SystemPackage

/// The properties that distinguish a complete file from any other file that may have its name later.
package struct FileIdentity: Codable, Equatable, Sendable {
    package var inode: UInt64
    package var size: Int64
    /// Nanoseconds since 1970.
    package var modified: Int64

    package init(inode: UInt64, size: Int64, modified: Int64) {
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    package init(_ status: SystemCalls.FileStatus) {
        inode = status.inode
        size = status.size
        modified = status.modified
    }

    /// True if one file may be a copy of the other made by `cp -a`; dates on FAT have a resolution of two
    /// seconds.
    package func isLike(_ other: FileIdentity) -> Bool {
        let (difference, isTooMuch) = modified.subtractingReportingOverflow(other.modified)
        return size == other.size && !isTooMuch && difference.magnitude <= 2_000_000_000
    }

    /// Returns the identity of the regular file at a path; `nil` if none exists. Blocks.
    package static func ofFile(at path: FilePath) -> FileIdentity? {
        guard let status = try? SystemCalls.status(path), status.kind == .file else { return nil }
        return FileIdentity(status)
    }

    /// Returns true if this file has that name. Blocks.
    package func isAt(_ path: FilePath) -> Bool {
        guard let status = try? SystemCalls.status(path), status.kind == .file else { return false }
        return FileIdentity(status) == self
    }
}
