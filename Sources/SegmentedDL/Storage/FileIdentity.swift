internal import SystemPackage

/// What tells a complete file from any other that may come to have its name.
struct FileIdentity: Codable, Equatable, Sendable {
    var inode: UInt64
    var size: Int64
    /// Nanoseconds since 1970.
    var modified: Int64

    init(inode: UInt64, size: Int64, modified: Int64) {
        self.inode = inode
        self.size = size
        self.modified = modified
    }

    init(_ status: SystemCalls.FileStatus) {
        inode = status.inode
        size = status.size
        modified = status.modified
    }

    /// Whether one may be a copy of the other, as `cp -a` makes them.
    func isLike(_ other: FileIdentity) -> Bool { size == other.size && modified == other.modified }

    /// What is at a path, if it is a regular file. Blocks.
    static func ofFile(at path: FilePath) -> FileIdentity? {
        guard let status = try? SystemCalls.status(path), status.kind == .file else { return nil }
        return FileIdentity(status)
    }

    /// Whether the file of that name is this one. Blocks.
    func isAt(_ path: FilePath) -> Bool {
        guard let status = try? SystemCalls.status(path), status.kind == .file else { return false }
        return FileIdentity(status) == self
    }
}
