internal import SegmentedDL
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The system calls of a cache, and of a layout of images.
enum HubLinks {
    /// Makes a directory and those above it.
    static func makeDirectories(_ path: FilePath) throws(Errno) {
        let isThere = try path.isEmpty ? true : SystemCalls.statusIfThere(path) != nil
        if isThere { return }
        try makeDirectories(path.removingLastComponent())
        guard path.withPlatformString({ mkdir($0, 0o777) }) == 0 || errno == EEXIST else {
            throw Errno(rawValue: errno)
        }
    }

    /// Makes a symbolic link in one step, in the place of another one.
    static func link(_ path: FilePath, to target: String) throws(Errno) {
        try replace(path) { new throws(Errno) in
            guard new.withPlatformString({ symlink(target, $0) }) == 0 else { throw Errno(rawValue: errno) }
        }
    }

    /// Writes a short file in one step.
    static func write(_ text: String, to path: FilePath) throws(Errno) {
        try write(Array(text.utf8), to: path)
    }

    /// Writes a short file in one step.
    static func write(_ bytes: [UInt8], to path: FilePath) throws(Errno) {
        try replace(path) { new throws(Errno) in
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
