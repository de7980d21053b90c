import SegmentedDL
import SystemPackage

/// A Unix socket with a path name, accessible to the owner of its directory.
///
/// Socket addresses are limited to about a hundred bytes. A longer path is reached through a descriptor of
/// its directory.
final class LocalSocket: Sendable {
    private static let longestAddress = 100

    /// The path to connect to, valid while this object exists.
    let address: String
    private let path: FilePath
    private let directory: FileDescriptor?

    /// - Throws: `Errno` if its directory cannot be opened.
    init(at path: FilePath) throws {
        self.path = path
        guard path.string.utf8.count > Self.longestAddress, let name = path.lastComponent?.string else {
            address = path.string
            directory = nil
            return
        }
        let opened = try FileDescriptor.open(
            path.removingLastComponent(), .readOnly, options: [.directory, .closeOnExec])
        directory = opened
        address = "/proc/self/fd/\(opened.rawValue)/\(name)"
    }

    deinit { try? directory?.close() }

    /// Removes the socket file, even if left by another process, but no other kind of file.
    func remove() {
        var status = stat()
        guard lstat(path.string, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return }
        unlink(path.string)
    }

    /// Creates a directory that only this user can use, if it does not exist.
    ///
    /// - Returns: False if that is not possible: other users could then replace the socket with their own.
    static func makePrivateDirectory(_ path: FilePath) -> Bool {
        mkdir(path.string, 0o700)
        return isPrivateDirectory(path)
    }

    /// Returns true if the path is a directory that only this user can use.
    static func isPrivateDirectory(_ path: FilePath) -> Bool {
        var status = stat()
        guard lstat(path.string, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid()
            && status.st_mode & 0o077 == 0
    }

    /// Returns a socket bound to the name, accessible only to its owner. It accepts connections once it is
    /// listening.
    ///
    /// - Throws: `Errno`.
    func bound() throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(self.address.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { throw Errno.fileNameTooLong }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = localStreamSocket()
        guard descriptor >= 0 else { throw Errno(rawValue: errno) }
        // On Linux, the permissions of the file are those of the socket.
        fchmod(descriptor, 0o600)
        let result = withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            let error = Errno(rawValue: errno)
            close(descriptor)
            throw error
        }
        chmod(self.address, 0o600)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}
