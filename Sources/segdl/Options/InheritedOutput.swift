import SegmentedDL
import SystemPackage

/// A descriptor that the shell has opened, by its name: `-` and `/dev/stdout`, `/dev/fd/3`.
///
/// Opening a regular file by this name would open it a second time, but the bytes must be written to the
/// descriptor that the shell opened, because `> file` and `>> file` differ.
enum InheritedOutput {
    /// Returns the descriptor; `nil` for any other name.
    static func descriptor(named name: String) -> FileDescriptor? {
        name == "-" ? .standardOutput : SystemCalls.inheritedDescriptor(at: name)
    }

    /// - Throws: `DownloadError` with code `badPath` if the descriptor is not open for writing.
    static func check(_ descriptor: FileDescriptor, _ name: String) throws(DownloadError) {
        let flags = fcntl(descriptor.rawValue, F_GETFL)
        guard flags == -1 || flags & O_ACCMODE == O_RDONLY else { return }
        throw DownloadError(
            .badPath,
            "'\(FilePath(name).shown)' is not open for writing; redirect it in the shell, or use a file name."
        )
    }
}
