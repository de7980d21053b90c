internal import SystemPackage

/// A text file that appears atomically: it is written under a temporary name, then renamed. If its path is a
/// symbolic link, the target is replaced; a device, a pipe or a descriptor that the shell has opened is
/// written directly. Every call blocks.
package final class ListFile {
    package let path: FilePath
    /// The path of the file itself, which is never a link.
    private let place: FilePath
    /// The name of the incomplete file; `nil` for a device, a pipe or a descriptor.
    private let temporary: FilePath?
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    private var isFinished = false

    /// Returns the temporary name of the incomplete file.
    package static func temporary(for path: FilePath) -> FilePath { path.appendingToName(".segdl-new") }

    /// - Parameter isPrivate: True if only its owner may read it.
    /// - Throws: `StorageError`.
    package init(_ path: FilePath, isPrivate: Bool = false) throws(StorageError) {
        self.path = path
        // Opening a file by this name would open it a second time, and a rename would replace it.
        let inherited = SystemCalls.inheritedDescriptor(at: path.string)
        let (place, temporary) = try storageCall("write", path) { () -> (FilePath, FilePath?) in
            guard inherited == nil else { return (path, nil) }
            return try ListFile.places(of: path)
        }
        self.place = place
        self.temporary = temporary
        descriptor = try storageCall("write", temporary ?? path) {
            if let inherited { return try inherited.duplicate() }
            guard let temporary else { return try SystemCalls.openWithoutWaiting(path) }
            // A killed run may have left a temporary file.
            _ = try? SystemCalls.remove(temporary)
            return try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: isPrivate
                    ? [.ownerReadWrite] : [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
        }
    }

    deinit {
        try? descriptor.close()
        if !isFinished, let temporary { try? SystemCalls.remove(temporary) }
    }

    package func add(_ bytes: some Sequence<UInt8>) throws(StorageError) {
        buffer.append(contentsOf: bytes)
        if buffer.count >= 256 * 1024 { try flush() }
    }

    /// Makes the file durable and renames it.
    ///
    /// - Parameter willFinish: Called with the file's identity just before the rename.
    package func finish(_ willFinish: (FileIdentity) throws -> Void = { _ in }) throws {
        try flush()
        let status = try storageCall("write", temporary ?? path) {
            if temporary != nil { try SystemCalls.synchronize(descriptor) }
            return try SystemCalls.status(descriptor)
        }
        try willFinish(FileIdentity(status))
        guard let unfinished = temporary else { return }
        try storageCall("give the final name to", unfinished) {
            try SystemCalls.rename(unfinished, to: place)
        }
        isFinished = true
        try Finalizer.synchronizeDirectory(of: place)
    }

    private func flush() throws(StorageError) {
        try storageCall("write", temporary ?? path) { _ = try descriptor.writeAll(buffer) }
        buffer = []
    }

    /// Returns the path of the file itself, and the temporary name; `nil` for a device or a pipe, which a
    /// rename would replace with a regular file.
    private static func places(of path: FilePath) throws(Errno) -> (place: FilePath, temporary: FilePath?) {
        let kind: SystemCalls.FileStatus.Kind?
        do {
            kind = try SystemCalls.statusFollowingLinks(path).kind
        } catch Errno.noSuchFileOrDirectory {
            kind = nil
        }
        if kind == .directory { throw .isDirectory }
        if kind == .other { return (path, nil) }
        // The missing target of a link is created too.
        let place = try SystemCalls.followed(path)
        return (place, temporary(for: place))
    }
}
