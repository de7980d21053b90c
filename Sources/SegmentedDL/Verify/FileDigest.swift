import SegmentedDLSupport
public import SystemPackage

/// The digests of files on disk.
public enum FileDigest {
    /// Reads a file once and computes its digests, on a separate thread.
    ///
    /// - Parameters:
    ///   - algorithms: The algorithms of the digests.
    ///   - path: The file.
    ///   - progress: Called periodically on that thread with the bytes read so far and the file's length in
    ///     bytes.
    /// - Returns: A digest for each algorithm, in the same order.
    /// - Throws: `DownloadError` with code `badPath`, `permissionDenied` or `ioFailed` if the file cannot be
    ///   read, `invalidSetting` if OpenSSL lacks an algorithm; `CancellationError`.
    public static func compute(
        _ algorithms: [Checksum.Algorithm], of path: FilePath,
        progress: (@Sendable (_ done: Int64, _ total: Int64) -> Void)? = nil
    ) async throws -> [Checksum] {
        let isCancelled = Lock(false)
        return try await withTaskCancellationHandler {
            do {
                return try await DiskThread.run {
                    try read(path, algorithms) { done, total in
                        if isCancelled.withLock({ $0 }) { throw CancellationError() }
                        progress?(done, total)
                    }
                }
            } catch let error as StorageError {
                throw error.asDownloadError
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Reads a file, and returns its SHA-256 in lower-case hexadecimal. Blocks.
    ///
    /// - Throws: `DownloadError` or `StorageError` if it is unreadable.
    package static func sha256(of path: FilePath) throws -> String {
        try read(path, [.sha256]) { _, _ in }.map(\.hexadecimal).joined()
    }

    private static func read(
        _ path: FilePath, _ algorithms: [Checksum.Algorithm], _ report: (Int64, Int64) throws -> Void
    ) throws -> [Checksum] {
        // Non-blocking, because opening a named pipe would block forever.
        let file = try storageCall("read", path) {
            try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        }
        defer { try? file.close() }
        let status = try storageCall("read", path) { try SystemCalls.status(file) }
        guard status.kind == .file else {
            throw DownloadError(.badPath, "'\(path)' is not a regular file; specify one.")
        }
        let digests = try algorithms.map { try Digest($0, length: status.size) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 256 * 1024, alignment: 4096)
        defer { buffer.deallocate() }
        var done: Int64 = 0
        while true {
            try report(done, max(done, status.size))
            let count = try storageCall("read", path) { try file.read(into: buffer) }
            guard count > 0 else { return digests.map { $0.finishChecksum() } }
            for digest in digests { digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            done += Int64(count)
        }
    }
}
