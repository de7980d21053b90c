package import SegmentedDL
import SegmentedDLSupport
internal import SystemPackage

/// The exclusive right of one manager or mirror to write a database. The system releases it when the process
/// ends.
///
/// The lock is on a separate file, because closing any descriptor of the database would release SQLite's own
/// locks.
package final class StoreLock: Sendable {
    /// Checking whether a lock is held takes microseconds, unless the checking process is stopped.
    static let patienceSeconds = 10.0
    /// The pauses between two attempts to acquire it, in microseconds.
    private static let pauses = (first: UInt32(50), last: UInt32(5_000))

    let descriptor: FileDescriptor
    /// False if the file system has no locks: other processes are then not excluded.
    package let isHeld: Bool
    private let isReleased = Lock(false)

    /// The process that holds a lock, as it has recorded itself. The cause of an error with code `locked`.
    package struct Holder: Error, Equatable, Sendable {
        /// Follows the process in the file. An earlier version reads such a file as one without a process.
        private static let briefMark = "brief"

        package let process: Int32
        /// True if it releases the lock as soon as its changes are stored.
        package let isBrief: Bool

        init(process: Int32, isBrief: Bool) {
            self.process = process
            self.isBrief = isBrief
        }

        /// - Parameter text: The content of the lock file.
        init?(_ text: String) {
            // The end of a longer text of an earlier holder may follow.
            guard let line = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().first,
                case let words = line.split(separator: " "), let first = words.first,
                let process = Int32(first)
            else { return nil }
            self.init(process: process, isBrief: words.dropFirst().first == Self.briefMark[...])
        }

        var text: String { isBrief ? "\(process) \(Self.briefMark)\n" : "\(process)\n" }
    }

    /// - Parameters:
    ///   - noun: The database's name in a message, such as "The queue".
    ///   - isBrief: True if the lock is released as soon as some changes are stored.
    ///   - patience: The number of seconds to wait for processes that are checking the lock.
    /// - Throws: `DownloadError` with code `locked`, with the `Holder` as its cause if it is known; or
    ///   `StorageError`.
    init(
        for store: FilePath, of noun: String, isBrief: Bool = false,
        patience: Double = StoreLock.patienceSeconds
    ) throws {
        let path = Self.path(for: store)
        let opened = try storageCall("open", path) {
            try FileDescriptor.open(
                path, .readWrite, options: [.create, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite])
        }
        descriptor = opened
        let acquired: Bool?
        do {
            acquired = try Self.lock(opened, patience: patience)
        } catch {
            // The object is not fully initialized, so `deinit` does not run.
            try? opened.close()
            guard error == .wouldBlock else { throw StorageError(action: "lock", path: path, errno: error) }
            let holder = Self.holder(path)
            let owner = holder.map { "in process \($0.process)" } ?? "usually in another process"
            throw DownloadError(
                .locked,
                "\(noun) '\(store)' is already open, \(owner); use that one, or end it.",
                isRetryable: true, cause: holder)
        }
        guard let acquired else {
            try? opened.close()
            let checking = (try? SystemCalls.status(path)).flatMap { LockList()?.holder(of: $0) }
            let process = checking.map { "process \($0)" } ?? "another process"
            throw DownloadError(
                .locked,
                "\(noun) '\(store)' cannot be opened: \(process) has not finished checking whether it is open; resume that process if it is stopped, or end it.",
                isRetryable: true)
        }
        isHeld = acquired
        note(Holder(process: SystemCalls.processID, isBrief: isBrief))
    }

    /// Acquires the lock, even while other processes check it. Blocks.
    ///
    /// - Returns: False if the file system has no locks; `nil` if another process has not finished its check.
    /// - Throws: `wouldBlock` if another process holds it.
    private static func lock(_ descriptor: FileDescriptor, patience: Double) throws(Errno) -> Bool? {
        let end = Monotonic.now() + patience
        var pause = pauses.first
        while true {
            do throws(Errno) {
                return try SystemCalls.lock(descriptor)
            } catch {
                guard error == .wouldBlock else { throw error }
            }
            // It succeeds if there are only checks, which are short.
            _ = try SystemCalls.lockShared(descriptor)
            // Over NFS, two openers that kept it would exclude each other.
            SystemCalls.unlock(descriptor)
            guard Monotonic.now() < end else { return nil }
            SystemCalls.sleep(microseconds: pause)
            pause = min(2 * pause, pauses.last)
        }
    }

    /// Writes the holder's identity, for the error of other processes. A failure is harmless.
    private func note(_ holder: Holder) {
        // In this order, because another process that finds no holder fails at once.
        let count = try? descriptor.writeAll(toAbsoluteOffset: 0, holder.text.utf8)
        if let count { try? descriptor.resize(to: Int64(count)) }
    }

    private static func holder(_ path: FilePath) -> Holder? {
        guard let file = try? FileDescriptor.open(path, .readOnly, options: [.noFollow, .closeOnExec]) else {
            return nil
        }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 32)
        let count = (try? bytes.withUnsafeMutableBytes { try file.read(into: $0) }) ?? 0
        return Holder(String(decoding: bytes.prefix(count), as: UTF8.self))
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
        guard isFirst else { return }
        // A process that has just been forked has the descriptor until it executes its program.
        SystemCalls.unlock(descriptor)
        try? descriptor.close()
    }

    /// Returns true if a process currently holds the lock. Blocks.
    package static func isHeld(for store: FilePath) -> Bool {
        guard
            let descriptor = try? FileDescriptor.open(
                path(for: store), .readOnly, options: [.noFollow, .closeOnExec])
        else { return false }
        defer { try? descriptor.close() }
        do {
            // A shared lock, because simultaneous checks must not find each other.
            _ = try SystemCalls.lockShared(descriptor)
            return false
        } catch {
            return error == .wouldBlock
        }
    }

    /// Returns false if the file system has no locks. Blocks.
    static func isPossible(for store: FilePath) -> Bool {
        guard
            let descriptor = try? FileDescriptor.open(
                path(for: store), .readOnly, options: [.noFollow, .closeOnExec])
        else { return true }
        defer { try? descriptor.close() }
        return (try? SystemCalls.lockShared(descriptor)) ?? true
    }

    private static func path(for store: FilePath) -> FilePath {
        SystemCalls.resolved(store).appendingToName(".lock")
    }
}
