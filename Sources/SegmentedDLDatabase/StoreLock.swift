package import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// The exclusive right of one manager or mirror to write a database. The system releases it when the process
/// ends.
///
/// The lock is on a separate file, because closing any descriptor of the database would release SQLite's own
/// locks.
package final class StoreLock: Sendable {
    private let descriptor: FileDescriptor
    /// False if the file system has no locks: other processes are then not excluded.
    package let isHeld: Bool
    private let isReleased = Lock(false)

    /// - Parameter noun: The database's name in a message, such as "The queue".
    /// - Throws: `DownloadError` with code `locked`, or `StorageError`.
    init(for store: FilePath, of noun: String) throws {
        let path = Self.path(for: store)
        let opened = try storageCall("open", path) {
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite])
        }
        descriptor = opened
        do {
            isHeld = try SystemCalls.lock(opened)
        } catch {
            // The object is not fully initialized, so `deinit` does not run.
            try? opened.close()
            guard error == .wouldBlock else { throw StorageError(action: "lock", path: path, errno: error) }
            let owner = Self.owner(path).map { "in process \($0)" } ?? "usually in another process"
            throw DownloadError(
                .locked,
                "\(noun) '\(store)' is already open, \(owner); use that one, or end it.",
                isRetryable: true)
        }
        noteOwner()
    }

    /// Writes the owner's identity, for the error message of other processes. A failure is harmless.
    private func noteOwner() {
        try? descriptor.resize(to: 0)
        _ = try? descriptor.writeAll("\(SystemCalls.processID)\n".utf8)
    }

    private static func owner(_ path: FilePath) -> Int32? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec]) else {
            return nil
        }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
        return Int32(String(decoding: bytes.prefix(count).dropLast(), as: UTF8.self))
    }

    deinit {
        release()
    }

    /// Releases the lock. Further calls have no effect.
    package func release() {
        let isFirst = isReleased.withLock { isReleased in
            defer { isReleased = true }
            return !isReleased
        }
        if isFirst { try? descriptor.close() }
    }

    /// Returns true if a process currently holds the lock. Blocks.
    package static func isHeld(for store: FilePath) -> Bool {
        guard
            let descriptor = try? FileDescriptor.open(
                path(for: store), .readWrite, options: [.noFollow, .closeOnExec])
        else { return false }
        defer { try? descriptor.close() }
        do {
            _ = try SystemCalls.lock(descriptor)
            return false
        } catch {
            return error == .wouldBlock
        }
    }

    /// Returns false if the file system has no locks. Blocks.
    static func isPossible(for store: FilePath) -> Bool {
        guard
            let descriptor = try? FileDescriptor.open(
                path(for: store), .readWrite, options: [.noFollow, .closeOnExec])
        else { return true }
        defer { try? descriptor.close() }
        return (try? SystemCalls.lock(descriptor)) ?? true
    }

    private static func path(for store: FilePath) -> FilePath {
        SystemCalls.resolved(store).appendingToName(".lock")
    }
}
