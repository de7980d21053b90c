internal import SegmentedDL
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The system calls for hub caches, image layouts and publications.
enum HubLinks {
    /// Creates a directory and its missing parents.
    static func makeDirectories(_ path: FilePath) throws(Errno) {
        let isThere = try path.isEmpty ? true : SystemCalls.statusIfThere(path) != nil
        if isThere { return }
        try makeDirectories(path.removingLastComponent())
        guard path.withPlatformString({ mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
            throw Errno(rawValue: errno)
        }
    }

    /// Creates a symbolic link atomically, replacing an existing one.
    static func makeLink(_ path: FilePath, to target: String) throws(Errno) {
        try replace(path) { new throws(Errno) in
            guard new.withPlatformString({ symlink(target, $0) }) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Writes a short file atomically.
    static func write(_ text: String, to path: FilePath) throws(Errno) {
        try write(Array(text.utf8), to: path)
    }

    /// Writes a short file atomically.
    static func write(_ bytes: [UInt8], to path: FilePath) throws(Errno) {
        try replace(path) { new throws(Errno) in try fill(new, bytes) }
    }

    private static func fill(_ new: FilePath, _ bytes: [UInt8]) throws(Errno) {
        do {
            let file = try FileDescriptor.open(
                new, .writeOnly, options: [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
            _ = try file.closeAfter { try file.writeAll(bytes) }
        } catch let error as Errno {
            throw error
        } catch {
            throw .ioError
        }
    }

    /// Gives a file a second name atomically, replacing an existing file. On a file system without hard
    /// links, a copy is made.
    static func name(_ file: FilePath, _ path: FilePath) throws(Errno) {
        let (one, other) = (try SystemCalls.status(file), try SystemCalls.statusIfThere(path))
        // A rename between two names of the same file would have no effect.
        if one.inode == other?.inode { return }
        try replace(path) { new throws(Errno) in
            let isLinked =
                file.withPlatformString { old in new.withPlatformString { link(old, $0) } } == 0
            if isLinked { return }
            guard let bytes = try contents(of: file, atMost: .max) else { throw .noSuchFileOrDirectory }
            try fill(new, bytes)
        }
    }

    /// Returns the beginning of a file; `nil` if it does not exist.
    ///
    /// - Parameter longest: The maximum number of bytes to read.
    static func contents(of path: FilePath, atMost longest: Int) throws(Errno) -> [UInt8]? {
        do {
            let file = try FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec])
            return try file.closeAfter { try file.readAll(atMost: longest) }
        } catch Errno.noSuchFileOrDirectory, Errno.notDirectory {
            return nil
        } catch let error as Errno {
            throw error
        } catch {
            throw .ioError
        }
    }

    private static func replace(
        _ path: FilePath, _ make: (FilePath) throws(Errno) -> Void
    ) throws(Errno) {
        let new = FilePath(path.string + ".segdl-new")
        try? SystemCalls.remove(new)
        do throws(Errno) {
            try make(new)
        } catch {
            try? SystemCalls.remove(new)
            throw error
        }
        let status = new.withPlatformString { old in path.withPlatformString { rename(old, $0) } }
        guard status == 0 else {
            let error = Errno(rawValue: errno)
            try? SystemCalls.remove(new)
            throw error
        }
    }
}
