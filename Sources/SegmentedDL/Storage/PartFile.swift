import SegmentedDLSupport
package import SystemPackage

/// `NAME.part`: the file that receives the bytes, open and locked for this process.
///
/// Small files are initially unnamed, because creating and renaming a name would account for most of their
/// cost.
final class PartFile: Sendable {
    /// The final path.
    let destination: FilePath
    /// `NAME.part`.
    let path: FilePath
    let descriptor: FileDescriptor
    private let isClosed = OnceFlag()
    private let hasName: Lock<Bool>
    /// The reserved length; 0 if the length is unknown.
    private let length = Lock<Int64>(0)
    /// The maximum size of a file whose pages are kept in memory.
    private let memory: Int64
    private let isReadBack = OnceFlag()
    private let lacks = Lock<[FileSystemFeature: UInt64]>([:])

    /// The features found to be missing, with the device of the file system.
    var lackedFeatures: [FileSystemFeature: UInt64] { lacks.withLock { $0 } }

    /// Opens or creates `NAME.part` and locks it. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked` if another download has it open, or `StorageError`.
    convenience init(_ paths: DownloadPaths) throws {
        try self.init(paths.part, for: paths.destination)
    }

    init(_ path: FilePath, for destination: FilePath, memory: Int64 = SystemCalls.memory) throws {
        self.memory = memory
        self.destination = destination
        self.path = path
        let isLocked: Bool
        (descriptor, isLocked) = try Self.openLocked(path, for: destination)
        hasName = Lock(true)
        if !isLocked { lack(.locks) }
    }

    private init(_ paths: DownloadPaths, unnamed: FileDescriptor) {
        memory = SystemCalls.memory
        destination = paths.destination
        path = paths.part
        descriptor = unnamed
        hasName = Lock(false)
    }

    /// Opens an unnamed file (`O_TMPFILE`). The kernel removes it if the process dies. Blocks.
    ///
    /// - Returns: `nil` if the file system has no such files, or `NAME.part` exists.
    /// - Throws: `StorageError`.
    static func unnamed(_ paths: DownloadPaths) throws(StorageError) -> PartFile? {
        guard try storageCall("look at", paths.part, { try SystemCalls.statusIfThere(paths.part) }) == nil
        else {
            return nil
        }
        let directory = paths.destination.directory
        let descriptor = try storageCall("create a file in", directory) {
            try SystemCalls.openUnnamed(in: directory)
        }
        return descriptor.map { PartFile(paths, unnamed: $0) }
    }

    /// True while it is unnamed.
    var isUnnamed: Bool { !hasName.withLock { $0 } }

    /// True if it is unnamed, and another file has its intended name. Blocks.
    func lacksItsName() throws(StorageError) -> Bool {
        guard isUnnamed else { return false }
        return try storageCall("look at", path) { try SystemCalls.statusIfThere(path) } != nil
    }

    /// Names an unnamed file `NAME.part`. Blocks.
    ///
    /// - Throws: `DownloadError` with code `locked` if another download has since claimed that name.
    func giveName() throws {
        guard isUnnamed else { return }
        let isLocked = try storageCall("lock", path) { try SystemCalls.lock(descriptor) }
        if !isLocked { lack(.locks) }
        do {
            try SystemCalls.name(descriptor, path)
        } catch Errno.fileExists {
            throw Self.lockedError(destination)
        } catch {
            throw StorageError(ofCall: "name", path: path, errno: error)
        }
        hasName.withLock { $0 = true }
    }

    /// Gives an unnamed file its final name, unless a file with that name exists. Blocks.
    func giveFinalName(_ name: FilePath) throws(Errno) {
        try SystemCalls.name(descriptor, name)
    }

    deinit {
        close()
    }

    /// Releases the lock and closes the file. No other call may follow. Further calls have no effect.
    ///
    /// Do not rely on deinitialization: a finished task may release the last reference a moment after the
    /// next download has requested the lock.
    func close() {
        guard isClosed.raise() else { return }
        // A process that has just been forked has the descriptor until it executes its program.
        SystemCalls.unlock(descriptor)
        try? descriptor.close()
    }

    private func lack(_ feature: FileSystemFeature) {
        let device = (try? SystemCalls.status(descriptor).device) ?? 0
        lacks.withLock { $0[feature] = device }
    }

    private static func openLocked(
        _ path: FilePath, for destination: FilePath
    ) throws -> (FileDescriptor, isLocked: Bool) {
        while true {
            let descriptor = try storageCall("open", path) {
                try FileDescriptor.open(
                    path, .readWrite, options: [.create, .noFollow, .closeOnExec],
                    permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
            }
            do {
                let isLocked = try lock(descriptor, path, for: destination)
                if try isNamed(descriptor, path) { return (descriptor, isLocked) }
                try? descriptor.close()
            } catch {
                try? descriptor.close()
                throw error
            }
        }
    }

    /// - Returns: False if the file system has no locks.
    private static func lock(
        _ descriptor: FileDescriptor, _ path: FilePath, for destination: FilePath
    ) throws -> Bool {
        do {
            return try SystemCalls.lock(descriptor)
        } catch Errno.wouldBlock {
            throw lockedError(destination)
        } catch {
            throw StorageError(action: "lock", path: path, errno: error)
        }
    }

    /// - Returns: False if the locked file no longer has the name, because the previous lock holder has
    ///   renamed it to its final name.
    private static func isNamed(_ descriptor: FileDescriptor, _ path: FilePath) throws -> Bool {
        let opened = try storageCall("look at", path) { try SystemCalls.status(descriptor) }
        guard opened.kind == .file else {
            throw DownloadError(
                .badPath, "'\(path)' is not a regular file; move it away or choose another name.")
        }
        guard let named = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) else {
            return false
        }
        return named.inode == opened.inode && named.device == opened.device
    }

    private static func lockedError(_ destination: FilePath) -> DownloadError {
        DownloadError(
            .locked,
            "'\(destination.shown)' is being written by another download, of this run or another process; wait until it ends, or choose another name.",
            isRetryable: true)
    }

    /// Sets its modification date, in seconds since 1970. Further writes change it again.
    func setModified(_ seconds: Int64) throws(StorageError) {
        let isSet = try storageCall("set the date of", path) {
            try SystemCalls.setModified(descriptor, seconds)
        }
        if !isSet { lack(.dates) }
    }

    /// Sets an extended attribute, if the file system supports them. Blocks.
    func setAttribute(_ name: String, _ value: String) {
        try? SystemCalls.setAttribute(name, value, of: descriptor)
    }

    func status() throws(StorageError) -> SystemCalls.FileStatus {
        try storageCall("look at", path) { try SystemCalls.status(descriptor) }
    }

    /// Writes all of a new file's bytes.
    func fill(_ file: [UInt8]) throws(StorageError) {
        try storageCall("write", path) {
            _ = try file.withUnsafeBytes { try descriptor.writeAll(toAbsoluteOffset: 0, $0) }
        }
    }

    /// Writes all of `bytes` at `offset`.
    ///
    /// - Throws: `StorageError`, which is `isCut` if the file is shorter than reserved: this write would
    ///   extend it, and the zeros in between would be taken for data.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(StorageError) {
        guard try status().size >= length.withLock({ $0 }) else { throw .cut(path) }
        try storageCall("write", path) {
            _ = try descriptor.writeAll(toAbsoluteOffset: offset, bytes)
        }
    }

    /// Reads up to `buffer.count` bytes at `offset`; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(StorageError) -> Int {
        try storageCall("read", path) {
            try descriptor.read(fromAbsoluteOffset: offset, into: buffer)
        }
    }

    /// Makes the file `length` bytes long and reserves its blocks, so that the disk cannot become full later.
    /// If the file system cannot reserve blocks, the file is sparse; zeros are never written. Blocks.
    func preallocate(_ length: Int64) throws(StorageError) {
        // Do not modify a file that an earlier run has reserved, because its date shows whether another
        // program has changed it.
        let size = try status().size
        if size != length {
            do {
                guard try reserve(length, isGrowing: size < length) else { return lack(.lengths) }
            } catch {
                // It contains no bytes of the download.
                if size == 0 { try? discard() }
                throw error
            }
        }
        self.length.withLock { $0 = length }
    }

    /// - Returns: False if the file system cannot set lengths; the file then grows as bytes are written.
    private func reserve(_ length: Int64, isGrowing: Bool) throws(StorageError) -> Bool {
        try storageCall("reserve \(length) bytes for", path) {
            if length > 0, try !SystemCalls.reserve(descriptor, length: length), isGrowing {
                return try FileSystemFeature.lengths.isThere { () throws(Errno) in
                    try SystemCalls.truncate(descriptor, to: length)
                }
            }
            // Truncate an earlier, longer file.
            try SystemCalls.truncate(descriptor, to: length)
            return true
        }
    }

    /// Truncates the file to zero bytes. Blocks.
    func empty() throws(StorageError) {
        length.withLock { $0 = 0 }
        guard try status().size > 0 else { return }
        try storageCall("empty", path) { try SystemCalls.truncate(descriptor, to: 0) }
    }

    /// Advises the system that written data will soon be read, so that it stays in memory if possible.
    func willBeReadBack() {
        isReadBack.raise()
    }

    /// Starts writing data to the disk, without waiting for it.
    func beginWriteback() {
        SystemCalls.beginWriteback(descriptor)
    }

    /// Makes written data durable (`fdatasync(2)`). Blocks.
    func synchronize() throws(StorageError) {
        let isDone = try storageCall("synchronize", path) { try SystemCalls.synchronizeData(descriptor) }
        if !isDone { lack(.fileSync) }
        // Drop the pages of a file that does not fit in memory. Otherwise the system would have to find a
        // page to free each time, and would also evict those of other programs.
        if length.withLock({ $0 }) > memory, !isReadBack.isRaised {
            SystemCalls.forgetPages(descriptor)
        }
    }

    /// Checks that `NAME.part` is still this file, with all its bytes. Blocks.
    ///
    /// - Throws: `DownloadError` with code `badPath` if another program has replaced, moved or truncated it.
    @discardableResult
    func checkIsWhole(length: Int64) throws -> SystemCalls.FileStatus {
        let status = try status()
        guard try hasItsName(status), status.size == length else {
            throw StorageError.cut(path).asDownloadError
        }
        return status
    }

    /// Returns true if the name still refers to this file. Blocks.
    private func hasItsName(_ mine: SystemCalls.FileStatus) throws(StorageError) -> Bool {
        // No other program can access an unnamed file.
        guard !isUnnamed else { return true }
        guard let named = try storageCall("look at", path, { try SystemCalls.statusIfThere(path) }) else {
            return false
        }
        return named.inode == mine.inode && named.device == mine.device
    }

    /// Removes the file, unless a foreign file now has its name. Blocks.
    func discard() throws(StorageError) {
        guard !isUnnamed, try hasItsName(try status()) else { return }
        try storageCall("remove", path) { try SystemCalls.remove(path) }
    }

    /// The attribute that marks a rejected file.
    private static let rejected = "user.segdl.rejected"

    /// Renames the file to mark it as rejected. Blocks.
    ///
    /// It replaces a previously rejected file; otherwise repeated downloads with a wrong digest would fill
    /// the disk.
    ///
    /// - Returns: The new path.
    func setAside() throws(StorageError) -> FilePath {
        setAttribute(Self.rejected, "1")
        var number = 0
        while true {
            let aside = destination.namingBeside(number == 0 ? ".rejected" : ".rejected.\(number)")
            if SystemCalls.attribute(Self.rejected, of: aside, atMost: 1) != nil {
                try storageCall("remove", aside) { try SystemCalls.remove(aside) }
            }
            do {
                if isUnnamed {
                    try SystemCalls.name(descriptor, aside)
                } else {
                    try SystemCalls.renameExclusively(path, to: aside)
                }
                return aside
            } catch Errno.fileExists {
                number += 1
            } catch {
                throw StorageError(action: "set aside", path: path, errno: error)
            }
        }
    }
}

extension FileDescriptor {
    /// Writes all bytes, since each write may be short. Avoids the sequence overhead of swift-system's
    /// function.
    func writeAll(toAbsoluteOffset offset: Int64, _ bytes: UnsafeRawBufferPointer) throws -> Int {
        var done = 0
        while done < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
            done += try write(toAbsoluteOffset: offset + Int64(done), rest)
        }
        return done
    }

    /// Reads until the end.
    ///
    /// - Parameter longest: Stops once more bytes than this have been read.
    package func readAll(atMost longest: Int = .max) throws -> [UInt8] {
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        defer { buffer.deallocate() }
        while bytes.count <= longest {
            let count = try read(into: buffer)
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }
}

extension FilePath {
    /// The path with `suffix` appended to its last component.
    package func appendingToName(_ suffix: String) -> FilePath {
        FilePath(string + suffix)
    }
}
