internal import SystemPackage

/// A text file that appears atomically: it is written under a temporary name, then renamed. Every call
/// blocks.
package final class ListFile {
    package let path: FilePath
    private let temporary: FilePath
    private let descriptor: FileDescriptor
    private var buffer: [UInt8] = []
    private var isFinished = false

    /// Returns the temporary name of the incomplete file.
    package static func temporary(for path: FilePath) -> FilePath { path.appendingToName(".segdl-new") }

    /// - Parameter isPrivate: True if only its owner may read it.
    /// - Throws: `StorageError`.
    package init(_ path: FilePath, isPrivate: Bool = false) throws(StorageError) {
        self.path = path
        let temporary = Self.temporary(for: path)
        self.temporary = temporary
        descriptor = try storageCall("write", temporary) {
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
        if !isFinished { try? SystemCalls.remove(temporary) }
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
        let status = try storageCall("write", temporary) {
            try SystemCalls.synchronize(descriptor)
            return try SystemCalls.status(descriptor)
        }
        try willFinish(FileIdentity(status))
        try storageCall("give the final name to", temporary) {
            try SystemCalls.rename(temporary, to: path)
        }
        isFinished = true
        try Finalizer.synchronizeDirectory(of: path)
    }

    private func flush() throws(StorageError) {
        try storageCall("write", temporary) { _ = try descriptor.writeAll(buffer) }
        buffer = []
    }
}
