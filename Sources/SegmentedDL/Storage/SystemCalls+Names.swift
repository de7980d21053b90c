internal import CSegSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

// System calls for names of files.
extension SystemCalls {
    static func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
        try check(old.withPlatformString { old in new.withPlatformString { new in Self.rename(old, new) } })
    }

    /// Renames only if no file has the new name, atomically if the file system supports it.
    static func renameExclusively(_ old: FilePath, to new: FilePath) throws(Errno) {
        if try renameInOneStep(old, to: new) { return }
        if try renameWithLink(old, to: new) { return }
        // A file that another program creates at this moment would be replaced.
        guard try statusIfThere(new) == nil else { throw .fileExists }
        try rename(old, to: new)
    }

    /// - Returns: False if the file system cannot refuse a name in a rename.
    static func renameInOneStep(_ old: FilePath, to new: FilePath) throws(Errno) -> Bool {
        try FileSystemFeature.exclusiveNames.isThere { () throws(Errno) in
            try check(
                old.withPlatformString { old in
                    new.withPlatformString { new in
                        #if canImport(Darwin)
                            renamex_np(old, new, UInt32(RENAME_EXCL))
                        #else
                            seg_rename_exclusively(old, new)
                        #endif
                    }
                })
        }
    }

    /// Creates a hard link, which also fails for an existing name, and removes the old name.
    ///
    /// - Returns: False if the file system has no links.
    static func renameWithLink(_ old: FilePath, to new: FilePath) throws(Errno) -> Bool {
        let isDone = try FileSystemFeature.links.isThere { () throws(Errno) in
            try check(old.withPlatformString { old in new.withPlatformString { new in link(old, new) } })
        }
        if isDone { try remove(old) }
        return isDone
    }

    /// Opens a device or a pipe for writing, without waiting for the reader of a pipe; later writes wait.
    ///
    /// - Throws: `noSuchAddressOrDevice` if a pipe has no reader.
    package static func openWithoutWaiting(_ path: FilePath) throws(Errno) -> FileDescriptor {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(path, .writeOnly, options: [.nonBlocking, .closeOnExec])
        } catch {
            throw error as? Errno ?? .ioError
        }
        _ = fcntl(descriptor.rawValue, F_SETFL, fcntl(descriptor.rawValue, F_GETFL) & ~O_NONBLOCK)
        return descriptor
    }

    /// Returns the path at the end of a chain of symbolic links, where a file may not exist.
    static func followed(_ path: FilePath) throws(Errno) -> FilePath {
        var path = path
        // As many as Linux follows.
        for _ in 0..<40 {
            guard try statusIfThere(path)?.kind == .symbolicLink else { return path }
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
            // The last byte remains zero.
            try check(path.withPlatformString { Int32(readlink($0, &bytes, Int(PATH_MAX))) })
            // An absolute target replaces the directory.
            path = path.removingLastComponent().pushing(FilePath(platformString: bytes))
        }
        throw .tooManySymbolicLinkLevels
    }

    /// Opens an unnamed file, which the kernel removes if it is closed without a name (`O_TMPFILE`).
    ///
    /// - Returns: `nil` if the system or the file system lacks such files, or the means to name them later.
    static func openUnnamed(in directory: FilePath) throws(Errno) -> FileDescriptor? {
        guard canName else { return nil }
        var descriptor: Int32 = -1
        let isDone = try FileSystemFeature.unnamedFiles.isThere { () throws(Errno) in
            try check(
                directory.withPlatformString { path in
                    descriptor = seg_open_unnamed(path)
                    return descriptor < 0 ? -1 : 0
                })
        }
        return isDone ? FileDescriptor(rawValue: descriptor) : nil
    }

    /// True if unnamed files can be named later, which requires `/proc`; some containers lack it.
    private static let canName = access("/proc/self/fd", R_OK | X_OK) == 0

    /// Names an unnamed file atomically, failing if the name exists.
    static func name(_ descriptor: FileDescriptor, _ path: FilePath) throws(Errno) {
        try check(path.withPlatformString { seg_link_descriptor(descriptor.rawValue, $0) })
    }

    private static func rename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> Int32 {
        #if canImport(Glibc)
            Glibc.rename(old, new)
        #elseif canImport(Musl)
            Musl.rename(old, new)
        #else
            Darwin.rename(old, new)
        #endif
    }
}
