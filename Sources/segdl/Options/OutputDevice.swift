import SegmentedDL
import SystemPackage

/// A named pipe or a character device, such as `/dev/null`, as a file's destination.
struct OutputDevice {
    private static let pause = Duration.milliseconds(50)

    private let path: FilePath
    private let isPipe: Bool

    /// Inspects the file with this name. Blocks.
    ///
    /// - Returns: `nil` for all other kinds, including disks, because a mistyped name must not overwrite one.
    init?(_ path: FilePath) {
        var status = stat()
        guard path.withPlatformString({ stat($0, &status) }) == 0 else { return nil }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFIFO || kind == S_IFCHR else { return nil }
        self.path = path
        isPipe = kind == S_IFIFO
    }

    /// Opens the device, waiting until a pipe has a reader.
    ///
    /// - Parameter waits: Called once if it has none yet.
    /// - Throws: `DownloadError` with code `badPath`; `CancellationError`.
    func open(waits: () -> Void) async throws -> FileDescriptor {
        if let descriptor = try opened() { return descriptor }
        waits()
        while true {
            try await Task.sleep(for: Self.pause)
            if let descriptor = try opened() { return descriptor }
        }
    }

    /// Opens the device without waiting: otherwise a thread of Swift's pool would wait for the
    /// reader.
    ///
    /// - Returns: `nil` for a pipe without a reader.
    private func opened() throws(DownloadError) -> FileDescriptor? {
        do {
            return try SystemCalls.openWithoutWaiting(path)
        } catch {
            if isPipe, error == .noSuchAddressOrDevice { return nil }
            throw DownloadError(.badPath, "Cannot write to '\(path)': \(error); choose another path.")
        }
    }
}
