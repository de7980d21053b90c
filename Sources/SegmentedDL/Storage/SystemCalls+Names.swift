internal import CSegSystem
internal import SystemPackage

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
