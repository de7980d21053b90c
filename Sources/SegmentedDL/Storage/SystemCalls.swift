internal import CSegSystem
internal import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The calls that swift-system does not have. Each throws the `Errno` that the system gave.
enum SystemCalls {
    struct FileStatus: Equatable, Sendable {
        enum Kind: Sendable { case file, directory, symbolicLink, other }

        var kind: Kind
        var size: Int64
        var inode: UInt64
        var device: UInt64
        /// Nanoseconds since 1970 at which its content was changed last.
        var modified: Int64
    }

    /// How many descriptors the process may have (`sysconf(3)`).
    static var descriptorLimit: Int {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? .max : limit
    }

    static func status(_ path: FilePath) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(path.withPlatformString { lstat($0, &buffer) })
        return FileStatus(buffer)
    }

    /// As `status`; `nil` if nothing has the name. Other failures are no proof of that.
    static func statusIfThere(_ path: FilePath) throws(Errno) -> FileStatus? {
        do {
            return try status(path)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    /// As `status`, but of what a symbolic link points at.
    static func statusFollowingLinks(_ path: FilePath) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(path.withPlatformString { stat($0, &buffer) })
        return FileStatus(buffer)
    }

    static func status(_ descriptor: FileDescriptor) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(fstat(descriptor.rawValue, &buffer))
        return FileStatus(buffer)
    }

    /// Takes an exclusive lock that the system drops when the process ends, however it ends (`flock(2)`).
    static func lock(_ descriptor: FileDescriptor) throws(Errno) {
        try check(flock(descriptor.rawValue, LOCK_EX | LOCK_NB))
    }

    static func synchronizeData(_ descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
            // fsync on Darwin leaves data in the drive's cache.
            try check(fcntl(descriptor.rawValue, F_FULLFSYNC))
        #else
            try check(fdatasync(descriptor.rawValue))
        #endif
    }

    static func synchronize(_ descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
            try check(fcntl(descriptor.rawValue, F_FULLFSYNC))
        #else
            try check(fsync(descriptor.rawValue))
        #endif
    }

    /// Reserves blocks for `length` bytes and makes the file that long, without writing zeros.
    ///
    /// - Returns: `false` if this file system cannot reserve blocks; nothing has been done then.
    static func reserve(_ descriptor: FileDescriptor, length: Int64) throws(Errno) -> Bool {
        #if canImport(Darwin)
            var request = fstore_t(
                fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
                fst_length: length,
                fst_bytesalloc: 0)
            guard fcntl(descriptor.rawValue, F_PREALLOCATE, &request) != -1 else {
                if errno == ENOTSUP { return false }
                throw Errno(rawValue: errno)
            }
            try truncate(descriptor, to: length)
            return true
        #else
            do {
                try check(seg_allocate(descriptor.rawValue, off_t(length)))
                return true
            } catch Errno.notSupported, Errno.noFunction {
                return false
            }
        #endif
    }

    static func truncate(_ descriptor: FileDescriptor, to length: Int64) throws(Errno) {
        try check(ftruncate(descriptor.rawValue, off_t(length)))
    }

    /// Sets the date of a file's last change, in seconds since 1970.
    static func setModified(_ descriptor: FileDescriptor, _ seconds: Int64) throws(Errno) {
        try check(seg_set_modified(descriptor.rawValue, seconds))
    }

    static func rename(_ old: FilePath, to new: FilePath) throws(Errno) {
        try check(old.withPlatformString { old in new.withPlatformString { new in Self.rename(old, new) } })
    }

    /// Renames only if nothing has the new name, in one step where the file system has a way to.
    static func renameExclusively(_ old: FilePath, to new: FilePath) throws(Errno) {
        #if canImport(Darwin)
            try check(
                old.withPlatformString { old in
                    new.withPlatformString { new in renamex_np(old, new, UInt32(RENAME_EXCL)) }
                })
        #else
            do {
                try check(
                    old.withPlatformString { old in
                        new.withPlatformString { new in seg_rename_exclusively(old, new) }
                    })
            } catch Errno.invalidArgument, Errno.noFunction {
                // Some file systems (NFS, FUSE) have no such rename; a hard link refuses an existing name too.
                try renameByLink(old, to: new)
            }
        #endif
    }

    #if !canImport(Darwin)
        private static func renameByLink(_ old: FilePath, to new: FilePath) throws(Errno) {
            do {
                try check(old.withPlatformString { old in new.withPlatformString { new in link(old, new) } })
            } catch Errno.notPermitted, Errno.noFunction, Errno.notSupported, Errno.tooManyLinks {
                // Nor hard links (sshfs, rclone, exFAT): a name that someone takes in this moment is lost.
                guard try statusIfThere(new) == nil else { throw .fileExists }
                return try rename(old, to: new)
            }
            try remove(old)
        }
    #endif

    /// Opens a file that has no name yet, and is gone when it is closed without one (`O_TMPFILE`).
    ///
    /// - Returns: `nil` if the system or the file system has no such files, or no way to name them later.
    static func openUnnamed(in directory: FilePath) throws(Errno) -> FileDescriptor? {
        guard canName else { return nil }
        var descriptor: Int32 = -1
        do {
            try check(
                directory.withPlatformString { path in
                    descriptor = seg_open_unnamed(path)
                    return descriptor < 0 ? -1 : 0
                })
        } catch Errno.notSupported, Errno.noFunction, Errno.isDirectory, Errno.invalidArgument {
            return nil
        }
        return FileDescriptor(rawValue: descriptor)
    }

    /// A file without a name is given one through `/proc`, which some containers have not.
    private static let canName = access("/proc/self/fd", R_OK | X_OK) == 0

    /// Gives an unnamed file a name, only if nothing has it, in one step.
    static func name(_ descriptor: FileDescriptor, _ path: FilePath) throws(Errno) {
        try check(path.withPlatformString { seg_link_descriptor(descriptor.rawValue, $0) })
    }

    /// Lets the system begin to write a file to the disk. It is not waited for.
    static func beginWriteback(_ descriptor: FileDescriptor) {
        seg_begin_writeback(descriptor.rawValue)
    }

    /// Lets go of the pages of a file that are on the disk.
    static func forgetPages(_ descriptor: FileDescriptor) {
        seg_forget_pages(descriptor.rawValue)
    }

    /// The machine's memory in bytes.
    static let memory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))

    // MARK: In a directory that is open

    /// Opens a directory in another one; fails with `notDirectory` or `tooManySymbolicLinkLevels` for a symbolic link.
    static func openDirectory(_ name: String, in parent: FileDescriptor) throws(Errno) -> FileDescriptor {
        var descriptor: Int32 = -1
        try check(
            name.withCString { name in
                descriptor = seg_open_directory(parent.rawValue, name)
                return descriptor < 0 ? -1 : 0
            })
        return FileDescriptor(rawValue: descriptor)
    }

    /// As `status`, of a name in a directory.
    static func status(_ name: String, in parent: FileDescriptor) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(name.withCString { fstatat(parent.rawValue, $0, &buffer, AT_SYMLINK_NOFOLLOW) })
        return FileStatus(buffer)
    }

    static func remove(_ name: String, in parent: FileDescriptor) throws(Errno) {
        try check(name.withCString { unlinkat(parent.rawValue, $0, 0) })
    }

    static func removeDirectory(_ name: String, in parent: FileDescriptor) throws(Errno) {
        try check(name.withCString { unlinkat(parent.rawValue, $0, Int32(AT_REMOVEDIR)) })
    }

    /// The names in a directory but its own and its parent's, one by one; a name that is not UTF-8 is `nil`.
    static func forEachName(
        in directory: FileDescriptor, _ body: (String?) throws -> Void
    ) throws {
        let copy = try directory.duplicate()
        guard let stream = fdopendir(copy.rawValue) else {
            try? copy.close()
            throw Errno(rawValue: errno)
        }
        defer { closedir(stream) }
        rewinddir(stream)
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else { throw Errno(rawValue: errno) }
                return
            }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(
                    to: CChar.self, capacity: MemoryLayout.size(ofValue: pointer.pointee)
                ) {
                    String(validatingCString: $0)
                }
            }
            if name != ".", name != ".." { try body(name) }
        }
    }

    static func remove(_ path: FilePath) throws(Errno) {
        try check(path.withPlatformString { unlink($0) })
    }

    static func makeDirectory(_ path: FilePath) throws(Errno) {
        try check(path.withPlatformString { mkdir($0, 0o777) })
    }

    /// The working directory; `/` if it has been removed.
    static var currentDirectory: FilePath {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return FilePath(platformString: path)
    }

    /// The path without symbolic links; of a file that is not there, its directory's. Blocks.
    static func resolved(_ path: FilePath) -> FilePath {
        func real(_ path: FilePath) -> FilePath? {
            guard let found = path.withPlatformString({ realpath($0, nil) }) else { return nil }
            defer { free(found) }
            return FilePath(platformString: found)
        }
        if let found = real(path) { return found }
        guard let directory = real(path.directory), let name = path.lastComponent else { return path }
        return directory.appending(name)
    }

    static func mayWrite(in directory: FilePath) throws(Errno) {
        try check(directory.withPlatformString { access($0, W_OK | X_OK) })
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

    /// Makes a call, again if a signal came in between.
    private static func check(_ call: @autoclosure () -> Int32) throws(Errno) {
        while call() == -1 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }
}

extension SystemCalls.FileStatus {
    fileprivate init(_ buffer: stat) {
        kind =
            switch buffer.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = Int64(buffer.st_size)
        inode = UInt64(buffer.st_ino)
        device = UInt64(buffer.st_dev)
        #if canImport(Darwin)
            let time = buffer.st_mtimespec
        #else
            let time = buffer.st_mtim
        #endif
        // Some file systems keep dates beyond the year 2262, which do not fit: they are all the same.
        let (whole, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isMore) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        modified = isTooMuch || isMore ? (time.tv_sec < 0 ? .min : .max) : sum
    }
}
