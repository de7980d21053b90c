internal import CSegSystem
package import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The system calls that swift-system lacks. Each throws the system's `Errno`.
package enum SystemCalls {
    package struct FileStatus: Equatable, Sendable {
        package enum Kind: Sendable { case file, directory, symbolicLink, other }

        package var kind: Kind
        package var size: Int64
        package var inode: UInt64
        package var device: UInt64
        /// The permissions of owner, group and others, 9 bits.
        package var permissions: UInt32
        /// The last modification of its content, in nanoseconds since 1970.
        package var modified: Int64
    }

    /// The maximum number of descriptors of the process (`sysconf(3)`).
    static var descriptorLimit: Int {
        let limit = sysconf(Int32(_SC_OPEN_MAX))
        return limit < 0 ? .max : limit
    }

    package static func status(_ path: FilePath) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(path.withPlatformString { lstat($0, &buffer) })
        return FileStatus(buffer)
    }

    /// Returns the status; `nil` if the name does not exist. Other failures do not prove that.
    package static func statusIfThere(_ path: FilePath) throws(Errno) -> FileStatus? {
        do {
            return try status(path)
        } catch Errno.noSuchFileOrDirectory {
            return nil
        }
    }

    /// Returns the status of the file that a symbolic link points to.
    package static func statusFollowingLinks(_ path: FilePath) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(path.withPlatformString { stat($0, &buffer) })
        return FileStatus(buffer)
    }

    package static func status(_ descriptor: FileDescriptor) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(fstat(descriptor.rawValue, &buffer))
        return FileStatus(buffer)
    }

    /// The id of this process.
    package static var processID: Int32 { getpid() }

    /// Acquires an exclusive lock, which the system releases whenever the process ends (`flock(2)`).
    ///
    /// - Returns: False if the file system has no locks.
    /// - Throws: `wouldBlock` if another process holds it.
    package static func lock(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
        try FileSystemFeature.locks.isThere { () throws(Errno) in
            try check(flock(descriptor.rawValue, LOCK_EX | LOCK_NB))
        }
    }

    /// Acquires a lock that excludes only exclusive ones.
    ///
    /// - Returns: False if the file system has no locks.
    /// - Throws: `wouldBlock` if another process holds an exclusive one.
    package static func lockShared(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
        try FileSystemFeature.locks.isThere { () throws(Errno) in
            try check(flock(descriptor.rawValue, LOCK_SH | LOCK_NB))
        }
    }

    /// Releases a lock, including for child processes that have inherited its descriptor.
    package static func unlock(_ descriptor: FileDescriptor) {
        _ = flock(descriptor.rawValue, LOCK_UN)
    }

    /// Blocks the thread for less than a second.
    package static func sleep(microseconds: UInt32) {
        usleep(microseconds)
    }

    /// - Returns: False if the file system does not support it.
    @discardableResult
    static func synchronizeData(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
        #if canImport(Darwin)
            // On Darwin, fsync leaves data in the drive's cache.
            try synchronize(descriptor)
        #else
            try FileSystemFeature.fileSync.isThere { () throws(Errno) in
                try check(fdatasync(descriptor.rawValue))
            }
        #endif
    }

    /// - Returns: False if the file system does not support it.
    @discardableResult
    static func synchronize(_ descriptor: FileDescriptor) throws(Errno) -> Bool {
        try FileSystemFeature.fileSync.isThere { () throws(Errno) in
            #if canImport(Darwin)
                try check(fcntl(descriptor.rawValue, F_FULLFSYNC))
            #else
                try check(fsync(descriptor.rawValue))
            #endif
        }
    }

    /// Makes a file durable, even if another program wrote it.
    package static func synchronize(at path: FilePath) throws {
        let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec])
        defer { try? descriptor.close() }
        try synchronize(descriptor)
    }

    /// Makes the names in a directory durable.
    ///
    /// - Returns: False if the file system does not support it, or this user may not do it.
    @discardableResult
    static func synchronizeNames(in directory: FilePath) throws(Errno) -> Bool {
        try FileSystemFeature.directorySync.isThere { () throws(Errno) in
            do {
                try synchronize(at: directory)
            } catch {
                throw error as? Errno ?? .ioError
            }
        }
    }

    /// Reserves blocks for `length` bytes and makes the file that long, without writing zeros.
    ///
    /// - Returns: False if this file system cannot reserve blocks; the file is then unchanged.
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
            try FileSystemFeature.reservedBlocks.isThere { () throws(Errno) in
                try check(seg_allocate(descriptor.rawValue, off_t(length)))
            }
        #endif
    }

    static func truncate(_ descriptor: FileDescriptor, to length: Int64) throws(Errno) {
        try check(ftruncate(descriptor.rawValue, off_t(length)))
    }

    /// Sets a file's modification date, in seconds since 1970.
    ///
    /// - Returns: False if the file system does not support it, or this user may not do it.
    static func setModified(_ descriptor: FileDescriptor, _ seconds: Int64) throws(Errno) -> Bool {
        try FileSystemFeature.dates.isThere { () throws(Errno) in
            try check(seg_set_modified(descriptor.rawValue, seconds))
        }
    }

    /// Sets an extended attribute of a file (`fsetxattr(2)`).
    static func setAttribute(_ name: String, _ value: String, of descriptor: FileDescriptor) throws(Errno) {
        let bytes = Array(value.utf8)
        try check(
            bytes.withUnsafeBytes { seg_set_attribute(descriptor.rawValue, name, $0.baseAddress, $0.count) })
    }

    /// Removes an extended attribute of a file, if it exists (`removexattr(2)`).
    static func removeAttribute(_ name: String, of path: FilePath) {
        _ = path.withPlatformString { seg_remove_attribute($0, name) }
    }

    /// Returns an extended attribute of a file; `nil` if it is missing or longer.
    static func attribute(_ name: String, of path: FilePath, atMost longest: Int) -> String? {
        var length = -1
        let bytes = [UInt8](unsafeUninitializedCapacity: longest) { buffer, count in
            length = path.withPlatformString { seg_attribute($0, name, buffer.baseAddress, longest) }
            count = max(0, length)
        }
        return length < 0 ? nil : String(validating: bytes, as: UTF8.self)
    }

    /// Returns false if a file's file system supports no extended attributes.
    static func keepsAttributes(_ path: FilePath) -> Bool {
        path.withPlatformString { seg_attribute($0, "user.segdl.none", nil, 0) } >= 0 || errno != ENOTSUP
    }

    /// Sets the permissions of a file.
    ///
    /// - Returns: False if the file system does not support them, or this user may not set them.
    static func setMode(of path: FilePath, to mode: UInt32) throws(Errno) -> Bool {
        try FileSystemFeature.modes.isThere { () throws(Errno) in
            try check(path.withPlatformString { chmod($0, mode_t(mode)) })
        }
    }

    /// Returns the magic number of a path's file system, and its available bytes (`statfs(2)`).
    package static func fileSystem(of path: FilePath) throws(Errno) -> (magic: UInt32, free: UInt64) {
        var magic: UInt32 = 0
        var free: UInt64 = 0
        try check(path.withPlatformString { seg_file_system($0, &magic, &free) })
        return (magic, free)
    }

    /// Returns true if a path's file system has free blocks, but no inode for another file.
    static func lacksInodes(_ path: FilePath) -> Bool {
        path.withPlatformString { seg_lacks_inodes($0) } != 0
    }

    /// The directory for temporary files.
    static var temporaryDirectory: FilePath {
        guard let named = getenv("TMPDIR"), named[0] != 0 else { return "/tmp" }
        return FilePath(String(cString: named))
    }

    /// Creates a file and removes its name, for systems without unnamed files.
    static func openRemoved(in directory: FilePath) throws(Errno) -> FileDescriptor {
        while true {
            let path = directory.appending(".segdl-\(UInt64.random(in: 0 ... .max))")
            do {
                let descriptor = try FileDescriptor.open(
                    path, .readWrite, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                    permissions: .ownerReadWrite)
                try remove(path)
                return descriptor
            } catch Errno.fileExists {
                continue
            } catch {
                throw error as? Errno ?? .ioError
            }
        }
    }

    /// Starts writing a file to the disk, without waiting for it.
    static func beginWriteback(_ descriptor: FileDescriptor) {
        seg_begin_writeback(descriptor.rawValue)
    }

    /// Drops a file's clean pages from memory.
    static func forgetPages(_ descriptor: FileDescriptor) {
        seg_forget_pages(descriptor.rawValue)
    }

    /// The machine's memory in bytes.
    static let memory = Int64(sysconf(Int32(_SC_PHYS_PAGES))) * Int64(sysconf(Int32(_SC_PAGESIZE)))

    // MARK: In a directory that is open

    /// Opens a directory in another one; fails with `notDirectory` or `tooManySymbolicLinkLevels` for a
    /// symbolic link.
    package static func openDirectory(_ name: String, in parent: FileDescriptor) throws(Errno)
        -> FileDescriptor
    {
        var descriptor: Int32 = -1
        try check(
            name.withCString { name in
                descriptor = seg_open_directory(parent.rawValue, name)
                return descriptor < 0 ? -1 : 0
            })
        return FileDescriptor(rawValue: descriptor)
    }

    /// Returns the status of a name in a directory.
    package static func status(_ name: String, in parent: FileDescriptor) throws(Errno) -> FileStatus {
        var buffer = stat()
        try check(name.withCString { fstatat(parent.rawValue, $0, &buffer, AT_SYMLINK_NOFOLLOW) })
        return FileStatus(buffer)
    }

    package static func remove(_ name: String, in parent: FileDescriptor) throws(Errno) {
        try check(name.withCString { unlinkat(parent.rawValue, $0, 0) })
    }

    package static func removeDirectory(_ name: String, in parent: FileDescriptor) throws(Errno) {
        try check(name.withCString { unlinkat(parent.rawValue, $0, Int32(AT_REMOVEDIR)) })
    }

    /// Calls `body` with each name in a directory except its own and its parent's; with `nil` for a name that
    /// is not UTF-8.
    package static func forEachName(
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

    package static func remove(_ path: FilePath) throws(Errno) {
        try check(path.withPlatformString { unlink($0) })
    }

    static func makeDirectory(_ path: FilePath) throws(Errno) {
        try check(path.withPlatformString { mkdir($0, 0o777) })
    }

    /// The working directory; `/` if it no longer exists.
    package static var currentDirectory: FilePath {
        guard let path = getcwd(nil, 0) else { return "/" }
        defer { free(path) }
        return FilePath(platformString: path)
    }

    /// Returns the path with symbolic links resolved; if the file does not exist, only its directory is
    /// resolved. Blocks.
    package static func resolved(_ path: FilePath) -> FilePath {
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

    /// Makes a system call, and repeats it if a signal interrupts it.
    static func check(_ call: @autoclosure () -> Int32) throws(Errno) {
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
        permissions = UInt32(buffer.st_mode) & 0o777
        #if canImport(Darwin)
            let time = buffer.st_mtimespec
        #else
            let time = buffer.st_mtim
        #endif
        // Some file systems store dates after 2262, which do not fit: treat them all as the same date.
        let (whole, isTooMuch) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, isMore) = whole.addingReportingOverflow(Int64(time.tv_nsec))
        modified = isTooMuch || isMore ? (time.tv_sec < 0 ? .min : .max) : sum
    }
}
