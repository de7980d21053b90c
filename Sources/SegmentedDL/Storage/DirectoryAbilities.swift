package import SystemPackage

/// The abilities of a directory's file system that downloads use, found out by using them.
package struct DirectoryAbilities: Sendable, Equatable {
    /// Files without a name, which a crash leaves nothing of (`O_TMPFILE`).
    package var hasUnnamedFiles = false
    /// Blocks are reserved before the bytes come (`fallocate(2)`).
    package var reservesBlocks = false
    /// Two processes are kept from the same file (`flock(2)`).
    package var locks = false
    /// A finished file remembers where it came from (`fsetxattr(2)`).
    package var keepsAttributes = false
    /// A file gets its name without replacing another one in between (`renameat2(2)`).
    package var namesExclusively = false

    package init() {}

    /// Tries each with a file of its own, which it removes.
    ///
    /// - Throws: `Errno` if no file can be made in the directory.
    package init(of directory: FilePath) throws(Errno) {
        let path = directory.appending(".segdl-doctor-\(UInt64.random(in: 0...UInt64.max))")
        let other = FilePath(path.string + ".renamed")
        let file = try Self.open(path, options: [.create, .exclusiveCreate])
        defer {
            try? file.close()
            try? SystemCalls.remove(path)
            try? SystemCalls.remove(other)
        }
        reservesBlocks = (try? SystemCalls.reserve(file, length: 4_096)) ?? false
        keepsAttributes = (try? SystemCalls.setAttribute("user.segdl.doctor", "1", of: file)) != nil
        locks = Self.locks(path, file)
        if let unnamed = try? SystemCalls.openUnnamed(in: directory) {
            hasUnnamedFiles = true
            try? unnamed.close()
        }
        namesExclusively = (try? SystemCalls.renameExclusively(path, to: other)) != nil
    }

    /// Returns true if a second lock of the same file is refused.
    private static func locks(_ path: FilePath, _ file: FileDescriptor) -> Bool {
        guard (try? SystemCalls.lock(file)) != nil, let second = try? open(path, options: []) else {
            return false
        }
        defer { try? second.close() }
        return (try? SystemCalls.lock(second)) == nil
    }

    private static func open(
        _ path: FilePath, options: FileDescriptor.OpenOptions
    ) throws(Errno) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                path, .readWrite, options: options.union(.closeOnExec), permissions: [.ownerReadWrite])
        } catch {
            throw error as? Errno ?? .ioError
        }
    }
}
