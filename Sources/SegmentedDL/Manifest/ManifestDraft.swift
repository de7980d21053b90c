internal import SystemPackage

/// A manifest that does not have its final name yet, and then the file to which its journal is appended.
struct ManifestDraft: Sendable {
    private let path: FilePath
    private let file: FileDescriptor

    static func path(beside path: FilePath) -> FilePath { path.appendingToName(".new") }

    /// Writes a manifest beside the one it will replace. Blocks.
    ///
    /// - Parameter durably: True to sync it before it is renamed. Otherwise there may be an empty file with
    ///   that name after a power cut.
    init(_ manifest: Manifest, beside path: FilePath, durably: Bool) throws {
        self.path = path
        let bytes = try ManifestCodec.encode(manifest)
        let fresh = Self.path(beside: path)
        file = try storageCall("open", fresh) {
            try FileDescriptor.open(
                fresh, .writeOnly, options: [.create, .truncate, .append, .closeOnExec, .noFollow],
                permissions: [.ownerReadWrite, .groupRead, .otherRead])
        }
        do {
            try storageCall("write", fresh) {
                _ = try file.writeAll(bytes)
                if durably { try SystemCalls.synchronizeData(file) }
            }
        } catch {
            close()
            throw error
        }
    }

    /// Renames the manifest to its final name, replacing an older one. Blocks.
    func replaceOld() throws(StorageError) {
        try storageCall("replace", path) { try SystemCalls.rename(Self.path(beside: path), to: path) }
    }

    /// Records written bytes. The line is in the page cache when this returns, so it survives the process,
    /// but not a power cut.
    func append(_ line: [UInt8]) {
        // Ignore an error: on a full disk, writing the next manifest fails and reports it; until then no
        // bytes are lost.
        _ = try? file.writeAll(line)
    }

    func close() {
        try? file.close()
    }
}
